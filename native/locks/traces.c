/* Names and stacks for the tables of monitors and of objects, in the data file: each has a number, and is described once.
 *
 * 1. A frame is a method and a place in it. Its number is given under the lock; who gave it asks the JVM for the names and the line afterwards,
 *    without the lock: a thread that the JVM stops there would keep all others waiting.
 * 2. The interpreter is behind the instruction monitorenter when it enters a monitor, compiled code is at it: one place has one number.
 * 3. A stack is a path in a tree, its outermost frame first.
 * 4. All tables are bounded: what finds no room has the number of the others.
 */
#include "locks.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 1 << 16, MOST_NAMES = 1 << 14, FIRST_ROOM = 1024, UNKNOWN_FRAME = 1, WAITS = 4, PARTS = 5 /* of a description */, MONITORENTER = 0xC2 };
#define ENTERING ((jlocation)1 << 32) /* added to a place that is looked up in this table for where it really is */

static struct frame {
    jmethodID method; /* NULL: free */
    jlocation at;
    uint32_t number; /* with ENTERING: its place */
} *frames; /* open addressing, as is: */
static struct name {
    char *text; /* NULL: free */
    uint32_t number;
} *names;
static uint32_t frames_room, frames_used, names_room, names_used;
static struct ch_calls stacks;
static jmethodID waits[WAITS]; /* Object.wait */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- names */

static struct name *place_of_name(const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    uint32_t at = (uint32_t)(hash >> 32) & (names_room - 1);
    while (names[at].text && strcmp(names[at].text, text)) at = (at + 1) & (names_room - 1);
    return &names[at];
}

static bool grow_names(void) {
    struct name *old = names, *more = calloc((size_t)names_room * 2, sizeof *more);
    if (!more) return false;
    names = more;
    names_room *= 2;
    for (uint32_t i = 0; i < names_room / 2; i++)
        if (old[i].text) *place_of_name(old[i].text) = old[i];
    free(old);
    return true;
}

uint32_t ch_trace_name(const char *text) {
    bool fresh = false;
    pthread_mutex_lock(&lock);
    struct name *place = place_of_name(text);
    uint32_t number = place->text ? place->number : CH_OTHER_NAMES;
    if (!place->text && names_used < MOST_NAMES && (names_used * 2 < names_room || grow_names())) {
        char *copy = strdup(text);
        if (copy) {
            number = ++names_used + CH_OTHER_NAMES;
            *place_of_name(text) = (struct name){copy, number};
            fresh = true;
        }
    }
    pthread_mutex_unlock(&lock);
    if (fresh) ch_meta_add(CH_META_TRACE_NAME, number, 0, text, strlen(text));
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

static struct frame *place_of_frame(jmethodID method, jlocation at) {
    uint64_t hash = ((uint64_t)(uintptr_t)method * 31 + (uint64_t)at) * 0x9E3779B97F4A7C15u;
    uint32_t i = (uint32_t)(hash >> 32) & (frames_room - 1);
    while (frames[i].method && (frames[i].method != method || frames[i].at != at)) i = (i + 1) & (frames_room - 1);
    return &frames[i];
}

static bool grow_frames(void) {
    struct frame *old = frames, *more = calloc((size_t)frames_room * 2, sizeof *more);
    if (!more) return false;
    frames = more;
    frames_room *= 2;
    for (uint32_t i = 0; i < frames_room / 2; i++)
        if (old[i].method) *place_of_frame(old[i].method, old[i].at) = old[i];
    free(old);
    return true;
}

/* The table's place for it, if there is room; lock held. */
static struct frame *add_frame(jmethodID method, jlocation at, uint32_t number) {
    if (frames_used >= MOST_FRAMES || (frames_used * 2 >= frames_room && !grow_frames())) return NULL;
    struct frame *place = place_of_frame(method, at);
    frames_used++;
    *place = (struct frame){method, at, number};
    return place;
}

static jlocation look_for_monitorenter(jmethodID method, jlocation at) {
    unsigned char *code = NULL;
    jint n = 0;
    if ((*ch_jvmti)->GetBytecodes(ch_jvmti, method, &n, &code)) return at;
    bool behind = at > 0 && at < n && code[at] != MONITORENTER && code[at - 1] == MONITORENTER;
    (*ch_jvmti)->Deallocate(ch_jvmti, code);
    return at - behind;
}

/* Where the thread enters a monitor, when its topmost frame is there. */
static jlocation place_of_entering(jmethodID method, jlocation at) {
    if (at <= 0) return at;
    pthread_mutex_lock(&lock);
    const struct frame *place = place_of_frame(method, at | ENTERING);
    bool known = place->method;
    jlocation found = known ? (jlocation)place->number : at;
    pthread_mutex_unlock(&lock);
    if (known) return found;
    found = look_for_monitorenter(method, at);
    pthread_mutex_lock(&lock);
    if (!place_of_frame(method, at | ENTERING)->method) add_frame(method, at | ENTERING, (uint32_t)found);
    pthread_mutex_unlock(&lock);
    return found;
}

static uint32_t line_of(jmethodID method, jlocation at) {
    jvmtiLineNumberEntry *table = NULL;
    jint n = 0;
    uint32_t line = 0;
    jlocation best = -1;
    if (at < 0 || (*ch_jvmti)->GetLineNumberTable(ch_jvmti, method, &n, &table)) return 0;
    for (jint i = 0; i < n; i++)
        if (table[i].start_location <= at && table[i].start_location > best) {
            best = table[i].start_location;
            line = (uint32_t)table[i].line_number;
        }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)table);
    return line;
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

/* Whether the instruction makes objects (JVMS 6.5). At others the JVM does: when it loads a class, or makes the string of a constant. */
static bool allocates(jmethodID method, jlocation at) {
    enum { NEW = 0xBB, NEWARRAY = 0xBC, ANEWARRAY = 0xBD, MULTIANEWARRAY = 0xC5 };
    unsigned char *code = NULL;
    jint n = 0;
    if (at < 0 || (*ch_jvmti)->GetBytecodes(ch_jvmti, method, &n, &code)) return true;
    bool yes = at >= n || code[at] == NEW || code[at] == NEWARRAY || code[at] == ANEWARRAY || code[at] == MULTIANEWARRAY;
    (*ch_jvmti)->Deallocate(ch_jvmti, code);
    return yes;
}

/* The class is held first, so that it is not unloaded meanwhile. */
static void describe_frame(JNIEnv *env, uint32_t number, jmethodID method, jlocation at) {
    jclass class = NULL;
    char *signature = NULL, *name = NULL, *descriptor = NULL, *source = NULL;
    if ((*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, method, &class)) return;
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, class, &signature, NULL) && !(*ch_jvmti)->GetMethodName(ch_jvmti, method, &name, &descriptor, NULL)) {
        if ((*ch_jvmti)->GetSourceFileName(ch_jvmti, class, &source)) source = NULL;
        describe(number, line_of(method, at), (const char *const[]){signature, name, descriptor, source, allocates(method, at) ? "" : "-"});
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

/* The node of these frames, of which the topmost is the first. */
static uint32_t node_of(JNIEnv *env, const jvmtiFrameInfo *found, uint32_t count) {
    uint32_t numbers[CH_LOCK_FRAMES], fresh[CH_LOCK_FRAMES], few = 0, node = 0;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < count; i++) {
        const jvmtiFrameInfo *f = &found[i];
        struct frame *place = place_of_frame(f->method, f->location);
        numbers[i] = place->method ? place->number : UNKNOWN_FRAME;
        if (place->method || !add_frame(f->method, f->location, frames_used + UNKNOWN_FRAME + 1)) continue;
        numbers[i] = frames_used + UNKNOWN_FRAME;
        fresh[few++] = i;
    }
    for (uint32_t i = count; i-- > 0;) node = ch_calls_node(&stacks, node, numbers[i]);
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; i < few; i++) describe_frame(env, numbers[fresh[i]], found[fresh[i]].method, found[fresh[i]].location);
    return node;
}

uint32_t ch_trace_stack(JNIEnv *env, jthread thread, uint32_t depth, bool enters) {
    jvmtiFrameInfo found[CH_LOCK_FRAMES + WAITS];
    jint n = 0, first = 0;
    if ((*ch_jvmti)->GetStackTrace(ch_jvmti, thread, 0, (jint)depth + WAITS, found, &n)) return 0;
    while (first < n && first < WAITS && is_wait(found[first].method)) first++;
    if (enters && first < n) found[first].location = place_of_entering(found[first].method, found[first].location);
    return node_of(env, found + first, (uint32_t)(n - first) < depth ? (uint32_t)(n - first) : depth);
}

uint32_t ch_trace_callers(JNIEnv *env, uint32_t below, uint32_t depth) {
    jvmtiFrameInfo found[CH_LOCK_FRAMES];
    jint n = 0;
    if (depth > CH_LOCK_FRAMES || (*ch_jvmti)->GetStackTrace(ch_jvmti, NULL, (jint)below, (jint)depth, found, &n)) return 0;
    return node_of(env, found, (uint32_t)n);
}

bool ch_traces_start(JNIEnv *env) {
    static const struct {
        const char *name, *descriptor;
    } known[WAITS] = {{"wait", "()V"}, {"wait", "(J)V"}, {"wait", "(JI)V"}, {"wait0", "(J)V"}};
    if (frames) return true; /* by an earlier rule */
    jclass object = ch_boot_class(env, "java.lang.Object");
    for (size_t i = 0; object && i < WAITS; i++) {
        waits[i] = (*env)->GetMethodID(env, object, known[i].name, known[i].descriptor);
        (*env)->ExceptionClear(env); /* wait0 is not in every JVM */
    }
    ch_lock();
    bool there = ch_calls_start(&stacks, CH_TRACES);
    ch_unlock();
    names = there ? calloc(FIRST_ROOM, sizeof *names) : NULL;
    frames = names ? calloc(FIRST_ROOM, sizeof *frames) : NULL;
    if (!frames) return false;
    names_room = frames_room = FIRST_ROOM;
    describe(UNKNOWN_FRAME, 0, (const char *const[]){"", "[unknown]", "", "", ""});
    ch_meta_add(CH_META_TRACE_NAME, CH_OTHER_NAMES, 0, "[others]", 8);
    return true;
}
