/* Names and stacks for the tables of monitors and of objects, in the data file: each has a number, and is described
 * once.
 *
 * 1. A frame is a method and a place in it. Its number is given under the lock; who gave it asks the JVM for the names
 *    and the line afterwards, without the lock: a thread that the JVM stops there would keep all others waiting.
 * 2. The interpreter is behind the instruction monitorenter when it enters a monitor, compiled code is at it: one place
 *    has one number.
 * 3. A stack is a path in a tree, its outermost frame first.
 * 4. All tables are bounded: what finds no room has the number of the others.
 */
#include "../base/jdk_members.h"
#include "../contexts/attribution.h"
#include "../threads/thread_names.h"
#include "locks.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_FRAMES = 1 << 16,
    MOST_NAMES = 1 << 14,
    UNKNOWN_FRAME = 1,
    WAITS = 4,
    PARTS = 5 /* of a description */,
    MONITORENTER = 0xC2
};
#define ENTERING ((jlocation)1 << 32) /* added to a place that is looked up in this table for where it really is */

struct frame {
    uint32_t hash, number; /* with ENTERING: its place */
    jmethodID method;
    jlocation at;
};
struct name {
    uint32_t hash, number;
    char *text;
};
static CH_TABLE(struct frame) frames;
static CH_TABLE(struct name) names;
static bool started;
static struct ch_calls stacks;
static jmethodID waits[WAITS]; /* Object.wait */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- names */

static bool is_named(const void *entry, const void *text) { return !strcmp(((const struct name *)entry)->text, text); }

/* NULL: no room. Lock held. */
static const struct name *add_name(const char *text, uint32_t hash) {
    uint32_t used = names.table.used;
    char *copy = used < MOST_NAMES ? strdup(text) : NULL;
    const struct name *added =
        copy ? ch_table_add(&names, hash, &(struct name){.number = CH_OTHER_NAMES + 1 + used, .text = copy}) : NULL;
    if (!added) free(copy);
    return added;
}

uint32_t ch_trace_name(const char *text) {
    uint32_t hash = (uint32_t)ch_hash_own((struct ch_key){0, 0}, text, strlen(text)).low;
    pthread_mutex_lock(&lock);
    const struct name *known = ch_table_find(&names, hash, is_named, text),
                      *added = known ? NULL : add_name(text, hash);
    uint32_t number = known ? known->number : added ? added->number : CH_OTHER_NAMES;
    pthread_mutex_unlock(&lock);
    if (added) ch_meta_add(CH_META_TRACE_NAME, number, 0, text, strlen(text));
    return number;
}

uint32_t ch_trace_class(jclass c) {
    char *signature = NULL;
    uint32_t number = CH_NO_NAME;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) return number;
    char *address = strchr(signature, '.');
    if (address) strcpy(address, ";");
    number = ch_trace_name(signature);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return number;
}

/* ---- frames */

static bool is_at(const void *entry, const void *wanted) {
    const struct frame *a = entry, *b = wanted;
    return a->method == b->method && a->at == b->at;
}

static uint32_t hash_of(jmethodID method, jlocation at) {
    return ch_hash_number((uint64_t)(uintptr_t)method * 31 + (uint64_t)at);
}

/* NULL: it is not known. Lock held. */
static const struct frame *find_frame(jmethodID method, jlocation at) {
    const struct frame wanted = {.method = method, .at = at};
    return ch_table_find(&frames, hash_of(method, at), is_at, &wanted);
}

/* False: no room. Lock held. */
static bool add_frame(jmethodID method, jlocation at, uint32_t number) {
    const struct frame f = {.number = number, .method = method, .at = at};
    return frames.table.used < MOST_FRAMES && ch_table_add(&frames, hash_of(method, at), &f);
}

static jlocation look_for_monitorenter(jmethodID method, jlocation at) {
    unsigned char *code = NULL;
    jint n = 0;
    if ((*ch_jvmti)->GetBytecodes(ch_jvmti, method, &n, &code)) return at;
    bool behind = at > 0 && at < n && code[at] != MONITORENTER && code[at - 1] == MONITORENTER;
    (*ch_jvmti)->Deallocate(ch_jvmti, code);
    return at - behind;
}

/* The place where the thread enters a monitor, if its topmost frame is there. */
static jlocation place_of_entering(jmethodID method, jlocation at) {
    if (at <= 0) return at;
    pthread_mutex_lock(&lock);
    const struct frame *known = find_frame(method, at | ENTERING);
    jlocation found = known ? (jlocation)known->number : at;
    pthread_mutex_unlock(&lock);
    if (known) return found;
    found = look_for_monitorenter(method, at);
    pthread_mutex_lock(&lock);
    if (!find_frame(method, at | ENTERING)) add_frame(method, at | ENTERING, (uint32_t)found);
    pthread_mutex_unlock(&lock);
    return found;
}

static void describe(uint32_t number, uint32_t line, const char *const parts[PARTS]) {
    char text[8192];
    size_t bytes = 0;
    for (size_t i = 0; i < PARTS; i++) {
        size_t n = parts[i] ? strlen(parts[i]) : 0;
        if (n >= sizeof text - bytes - PARTS) n = 0; /* longer than any name of use */
        memcpy(text + bytes, parts[i] ? parts[i] : "", n);
        bytes += n;
        if (i < PARTS - 1) text[bytes++] = 0;
    }
    ch_meta_add(CH_META_FRAME, number, line, text, bytes);
}

/* True if the instruction makes objects (JVMS 6.5). At others the JVM does: when it loads a class, or makes the string
 * of a constant. */
static bool allocates(jmethodID method, jlocation at) {
    enum { NEW = 0xBB, NEWARRAY = 0xBC, ANEWARRAY = 0xBD, MULTIANEWARRAY = 0xC5 };
    unsigned char *code = NULL;
    jint n = 0;
    if (at < 0 || (*ch_jvmti)->GetBytecodes(ch_jvmti, method, &n, &code)) return true;
    bool yes =
        at >= n || code[at] == NEW || code[at] == NEWARRAY || code[at] == ANEWARRAY || code[at] == MULTIANEWARRAY;
    (*ch_jvmti)->Deallocate(ch_jvmti, code);
    return yes;
}

/* The class is held first, so that it is not unloaded meanwhile. */
static void describe_frame(JNIEnv *env, uint32_t number, jmethodID method, jlocation at) {
    jclass class = NULL;
    char *signature = NULL, *name = NULL, *descriptor = NULL, *source = NULL;
    if ((*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, method, &class)) return;
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, class, &signature, NULL) &&
        !(*ch_jvmti)->GetMethodName(ch_jvmti, method, &name, &descriptor, NULL)) {
        if ((*ch_jvmti)->GetSourceFileName(ch_jvmti, class, &source)) source = NULL;
        describe(number, ch_line_of(method, at),
                 (const char *const[]){signature, name, descriptor, source, allocates(method, at) ? "" : "-"});
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)name);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)descriptor);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)source);
    (*env)->DeleteLocalRef(env, class);
}

/* ---- stacks */

static bool is_wait(jmethodID method) {
    for (size_t i = 0; i < WAITS; i++)
        if (waits[i] == method) return true;
    return false;
}

/* The node of these frames, of which the topmost is the first, in the context that this thread is in, and below that of
 * a thread. */
static uint32_t node_of(JNIEnv *env, const jvmtiFrameInfo *found, uint32_t count, uint32_t thread) {
    uint32_t numbers[CH_LOCK_FRAMES], fresh[CH_LOCK_FRAMES], few = 0, node = 0, context = ch_scope_slot();
    pthread_mutex_lock(&lock);
    if (context) node = ch_calls_node(&stacks, 0, CH_CONTEXT_BIT | context);
    if (thread) node = ch_calls_node(&stacks, node, CH_THREAD | thread);
    for (uint32_t i = 0; i < count; i++) {
        const jvmtiFrameInfo *f = &found[i];
        const struct frame *known = find_frame(f->method, f->location);
        uint32_t next = frames.table.used + UNKNOWN_FRAME + 1;
        numbers[i] = known ? known->number : UNKNOWN_FRAME;
        if (known || !add_frame(f->method, f->location, next)) continue;
        numbers[i] = next;
        fresh[few++] = i;
    }
    for (uint32_t i = count; i-- > 0;) node = ch_calls_node(&stacks, node, numbers[i]);
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; i < few; i++)
        describe_frame(env, numbers[fresh[i]], found[fresh[i]].method, found[fresh[i]].location);
    return node;
}

static uint32_t stack_of(JNIEnv *env, jthread thread, uint32_t depth, bool enters, uint32_t number) {
    jvmtiFrameInfo found[CH_LOCK_FRAMES + WAITS];
    jint n = 0, first = 0;
    if ((*ch_jvmti)->GetStackTrace(ch_jvmti, thread, 0, (jint)depth + WAITS, found, &n)) return 0;
    while (first < n && first < WAITS && is_wait(found[first].method)) first++;
    if (enters && first < n) found[first].location = place_of_entering(found[first].method, found[first].location);
    return node_of(env, found + first, (uint32_t)(n - first) < depth ? (uint32_t)(n - first) : depth, number);
}

uint32_t ch_trace_stack(JNIEnv *env, jthread thread, uint32_t depth, bool enters) {
    return stack_of(env, thread, depth, enters, 0);
}

uint32_t ch_trace_stack_of(JNIEnv *env, jthread thread, uint32_t depth, bool enters) {
    return stack_of(env, thread, depth, enters, ch_number_self(env));
}

uint32_t ch_trace_callers(JNIEnv *env, uint32_t below, uint32_t depth) {
    jvmtiFrameInfo found[CH_LOCK_FRAMES];
    jint n = 0;
    if (depth > CH_LOCK_FRAMES || (*ch_jvmti)->GetStackTrace(ch_jvmti, NULL, (jint)below, (jint)depth, found, &n))
        return 0;
    return node_of(env, found, (uint32_t)n, ch_wanted.threads_named ? ch_number_self(env) : 0);
}

bool ch_traces_start(JNIEnv *env) {
    static const struct {
        const char *name, *descriptor;
    } known[WAITS] = {{"wait", "()V"}, {"wait", "(J)V"}, {"wait", "(JI)V"}};
    static const jvmtiCapabilities lines = {
        .can_get_source_file_name = 1, .can_get_line_numbers = 1, .can_get_bytecodes = 1};
    if (started) return true; /* by an earlier rule */
    if ((*ch_jvmti)->AddCapabilities(ch_jvmti, &lines)) return false;
    jclass object = ch_boot_class(env, "java.lang.Object");
    for (size_t i = 0; object && i < WAITS - 1; i++)
        waits[i] = (*env)->GetMethodID(env, object, known[i].name, known[i].descriptor);
    waits[WAITS - 1] = ch_jdk_method(env, CH_JDK_OBJECT_WAIT, NULL);
    ch_lock();
    started = ch_calls_start(&stacks, CH_TRACES);
    ch_unlock();
    if (!started) return false;
    describe(UNKNOWN_FRAME, 0, (const char *const[]){"", "[unknown]", "", "", ""});
    ch_meta_add(CH_META_TRACE_NAME, CH_OTHER_NAMES, 0, "[others]", 8);
    return true;
}
