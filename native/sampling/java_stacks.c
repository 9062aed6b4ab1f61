/* The stack of a Java thread as a path in a tree of calls, by JVMTI.
 *
 * 1. A method has a number, by which the tree names it, and its names are written to the metadata, when it is first
 *    seen: later it may be unloaded. The JVM never uses the jmethodID of an unloaded method again. If lines are wanted,
 *    each line of it has a number, and each of its instructions that was seen that of its line.
 * 2. The topmost frames of a deep stack are kept, below one that stands for the others. When the tree gets full, only
 *    the topmost frame of a stack that was not there before is kept: what methods take themselves stays right.
 * 3. Code of an inline function (inlined_code.c) has a node of its own, below that of the method it was inlined in, as
 *    if it had been called.
 * 4. A sample may say better than the stack in which code the thread was (code_map.c): its frames are joined with
 *    the stack where both have the method that was compiled.
 * 5. A virtual thread is not known to the JVM's list of threads. Its carrier refers to it while it is mounted: by a
 *    field, the continuation that runs, whose task belongs to the virtual thread. If one of these fields is missing,
 *    the carrier's own frames are taken. Where threads are told apart, what virtual threads do is their carriers'.
 */
#include "../base/jdk_members.h"
#include "sampling.h"
#include "inlined_code.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOST_METHODS = 1 << 19,
    DEEPER = 0,
    UNLOADED = 1,
    LEFT = 2, /* below it is code that the thread had left when its stack was taken */
    PARTS = 4 /* of a description */
};
/* Instead of an instruction: added to a line; the whole method; times a class's number, functions of it that are not
 * known. */
#define LINE ((jlocation)1 << 32)
#define WHOLE ((jlocation)1 << 33)
#define OF_CLASS ((jlocation)1 << 34)

struct place { /* in a method: an instruction, a line, or all of it */
    uint32_t hash, number;
    /* the number of the function that an instruction was inlined from; of a line or a method: whether there may be
     * such */
    uint32_t inlined;
    jmethodID method;
    jlocation at;
};
static CH_TABLE(struct place) places;
static uint32_t numbers = LEFT + 1;
/* the stack that was taken last, behind the room for what is joined to it */
static jvmtiFrameInfo frames[CH_CODE_DEPTH + CH_MOST_DEPTH + 1], *const stack = frames + CH_CODE_DEPTH;
static jint depth; /* its frames; at most as many as were asked for, and one more */
static jfieldID running, target, owner; /* Thread.cont, Continuation.target, and what that refers to */
static jclass of_virtual; /* the class of a virtual thread's task */
static bool looked_for_fields;

/* ---- methods */

static void name(uint32_t number, uint32_t line, const char *const parts[PARTS]) {
    char text[8192];
    size_t bytes = 0;
    for (size_t i = 0; i < PARTS; i++) {
        size_t n = strlen(parts[i]);
        if (n >= sizeof text - bytes - PARTS) n = 0; /* longer than any name of use */
        memcpy(text + bytes, parts[i], n);
        bytes += n;
        if (i < PARTS - 1) text[bytes++] = 0; /* modified UTF-8 has no zero byte */
    }
    ch_meta_add(CH_META_METHOD, number, line, text, bytes);
}

bool ch_java_stacks_start(void) {
    name(DEEPER, 0, (const char *const[]){"", "[deeper]", "", ""});
    name(UNLOADED, 0, (const char *const[]){"", "[unloaded]", "", ""});
    name(LEFT, 0, (const char *const[]){"", "[callers unknown]", "", ""});
    return true;
}

/* Writes its names; the class is held first, so that it is not unloaded meanwhile. False: it is unloaded. */
static bool named(JNIEnv *env, struct place *p, uint32_t line) {
    jclass class = NULL;
    char *signature = NULL, *called = NULL, *descriptor = NULL, *source = NULL;
    if ((*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, p->method, &class)) return false;
    bool known = !(*ch_jvmti)->GetClassSignature(ch_jvmti, class, &signature, NULL) &&
                 !(*ch_jvmti)->GetMethodName(ch_jvmti, p->method, &called, &descriptor, NULL);
    if (known && (*ch_jvmti)->GetSourceFileName(ch_jvmti, class, &source)) source = NULL;
    if (known) name(p->number, line, (const char *const[]){signature, called, descriptor, source ? source : ""});
    if (known) p->inlined = ch_inlined_in(class, source);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)called);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)descriptor);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)source);
    (*env)->DeleteLocalRef(env, class);
    return known;
}

static bool is_place(const void *entry, const void *sought) {
    const struct place *a = entry, *b = sought;
    return a->method == b->method && a->at == b->at;
}

static uint32_t hash_of(jmethodID method, jlocation at) {
    return ch_hash_number((uint64_t)(uintptr_t)method * 31 + (uint64_t)at);
}

static struct place *find(jmethodID method, jlocation at) {
    const struct place sought = {.method = method, .at = at};
    return ch_table_find(&places, hash_of(method, at), is_place, &sought);
}

/* NULL: there is no room. */
static struct place *add(jmethodID method, jlocation at, uint32_t number, uint32_t inlined) {
    if (places.table.used >= MOST_METHODS) return NULL;
    return ch_table_add(&places, hash_of(method, at),
                        &(struct place){.number = number, .inlined = inlined, .method = method, .at = at});
}

/* Makes the place of a line, or of the whole method, that has none yet. */
static struct place *new_place(JNIEnv *env, jmethodID method, jlocation at, uint32_t line) {
    struct place *p = add(method, at, numbers, 0);
    if (p) numbers++;
    if (p && !named(env, p, line)) p->number = UNLOADED;
    return p;
}

/* In the table; NULL: there is no room. */
static const struct place *known_place(JNIEnv *env, jmethodID method, jlocation at, uint32_t line) {
    const struct place *p = find(method, at);
    return p ? p : new_place(env, method, at, line);
}

static const struct place *whole(JNIEnv *env, jmethodID method) { return known_place(env, method, WHOLE, 0); }
static const struct place *of_line(JNIEnv *env, jmethodID method, uint32_t line) {
    return known_place(env, method, LINE + line, line);
}
static uint32_t number_of(const struct place *p) { return p ? p->number : UNLOADED; }

/* The number of the function that an instruction was inlined from. If it is unknown, the number stands for all inline
 * functions of its class. */
static uint32_t number_inlined(JNIEnv *env, const struct ch_inlined *from, bool lines) {
    if (from->function) return number_of(lines ? of_line(env, from->function, from->line) : whole(env, from->function));
    uint32_t line = lines ? from->line : 0;
    jlocation at = from->class_number * OF_CLASS + line;
    const struct place *known = find(NULL, at);
    if (known) return known->number;
    if (!add(NULL, at, numbers, 0)) return UNLOADED;
    name(numbers, line, (const char *const[]){from->signature, CH_INLINED, "()V", from->source});
    return numbers++;
}

/* Finds the place of an instruction that was not seen yet. */
static struct place seen_first(JNIEnv *env, jmethodID method, jlocation at, bool lines) {
    struct ch_inlined from;
    uint32_t line = ch_line_of(method, at);
    const struct place *p = lines ? of_line(env, method, line) : whole(env, method);
    struct place seen = {.number = number_of(p)};
    if (p && p->inlined && ch_inlined_at(env, method, line, &from)) {
        seen.inlined = number_inlined(env, &from, lines);
        if (lines) seen.number = number_of(of_line(env, method, from.call_line));
    }
    add(method, at, seen.number, seen.inlined);
    return seen;
}

static struct place place_of(JNIEnv *env, const jvmtiFrameInfo *f, bool lines) {
    if (!f->method) return (struct place){.number = UNLOADED};
    if (!lines) {
        const struct place *all = whole(env, f->method);
        if (!all || !all->inlined) return (struct place){.number = number_of(all)};
    }
    const struct place *known = find(f->method, f->location);
    return known ? *known : seen_first(env, f->method, f->location, lines);
}

/* ---- virtual threads */

/* Once a carrier runs a continuation: then their classes are initialised, which looking for fields would otherwise
 * do. */
static void find_fields(JNIEnv *env) {
    jclass task = NULL;
    looked_for_fields = true;
    target = ch_jdk_field(env, CH_JDK_CONTINUATION_TARGET, NULL);
    owner = ch_jdk_field(env, CH_JDK_CONTINUATION_THREAD, &task);
    if (target && owner) of_virtual = (*env)->NewGlobalRef(env, task);
    if (task) (*env)->DeleteLocalRef(env, task);
}

static jobject mounted_on(JNIEnv *env, jthread thread) {
    jobject continuation = running ? (*env)->GetObjectField(env, thread, running) : NULL, found = NULL;
    if (!continuation) return NULL;
    if (!looked_for_fields) find_fields(env);
    jobject task = of_virtual ? (*env)->GetObjectField(env, continuation, target) : NULL;
    if (task && (*env)->IsInstanceOf(env, task, of_virtual)) found = (*env)->GetObjectField(env, task, owner);
    if (task) (*env)->DeleteLocalRef(env, task);
    (*env)->DeleteLocalRef(env, continuation);
    return found;
}

void ch_java_stacks_find(JNIEnv *env) { running = ch_jdk_field(env, CH_JDK_THREAD_CONTINUATION, NULL); }

jthread ch_java_mounted_on(JNIEnv *env, jthread thread) {
    static bool found;
    if (!ch_load_acquire(&found)) {
        if (!running) ch_java_stacks_find(env);
        ch_store_release(&found, true);
    }
    return mounted_on(env, thread);
}

/* ---- frames that are no methods */

struct named {
    uint32_t hash, number;
    char *text;
};
static CH_TABLE(struct named) named_frames;

static bool is_named(const void *entry, const void *text) { return !strcmp(((const struct named *)entry)->text, text); }

uint32_t ch_frame_named(const char *text) {
    uint32_t hash = (uint32_t)ch_hash_own((struct ch_key){0, 0}, text, strlen(text)).low;
    const struct named *known = ch_table_find(&named_frames, hash, is_named, text);
    if (known) return known->number;
    char *kept = strdup(text);
    if (!kept || !ch_table_add(&named_frames, hash, &(struct named){.number = numbers, .text = kept})) {
        free(kept);
        return UNLOADED;
    }
    name(numbers, 0, (const char *const[]){"", text, "", ""});
    return numbers++;
}

/* ---- stacks */

struct path { /* of frames, the topmost one first, below a node */
    const jvmtiFrameInfo *top;
    jint n;
    uint32_t base;
    bool cut; /* there are others below these */
};

static uint32_t node_of(JNIEnv *env, struct ch_calls *calls, struct path path, bool lines) {
    uint32_t node = path.cut ? ch_calls_node(calls, path.base, DEEPER) : path.base;
    bool room = ch_calls_room_for(calls, 2 * (uint32_t)path.n);
    for (jint i = path.n; i-- > 0;) {
        struct place p = place_of(env, &path.top[i], lines);
        for (uint32_t next = p.number, after = p.inlined; next; next = after, after = 0) {
            uint32_t known = room ? 0 : ch_calls_known(calls, node, next);
            if (!room && !known) {
                ch_calls_tree(calls)->refused += (uint64_t)path.n - 1;
                p = place_of(env, path.top, lines);
                return ch_calls_node(calls, ch_calls_node(calls, path.base, DEEPER), p.inlined ? p.inlined : p.number);
            }
            node = room ? ch_calls_node(calls, node, next) : known;
        }
    }
    return node;
}

uint32_t ch_java_stack_take(JNIEnv *env, jthread thread, uint32_t most) {
    jobject mounted = mounted_on(env, thread);
    jint asked = (jint)most + 1;
    depth = 0;
    if (!mounted || (*ch_jvmti)->GetStackTrace(ch_jvmti, mounted, 0, asked, stack, &depth) || !depth)
        if ((*ch_jvmti)->GetStackTrace(ch_jvmti, thread, 0, asked, stack, &depth)) depth = 0; /* it has just ended */
    if (mounted) (*env)->DeleteLocalRef(env, mounted);
    return (uint32_t)depth;
}

/* The node of the thread and its context, below which its stacks are. */
static uint32_t root_of(struct ch_calls *calls, struct ch_stack_form form) {
    uint32_t root = form.context ? ch_calls_node(calls, 0, CH_CONTEXT_BIT | form.context) : 0;
    return form.thread ? ch_calls_node(calls, root, CH_THREAD | form.thread) : root;
}

uint32_t ch_java_stack(JNIEnv *env, struct ch_calls *calls, struct ch_stack_form form) {
    bool cut = depth > (jint)form.depth;
    return depth ? node_of(env, calls, (struct path){stack, depth - cut, root_of(calls, form), cut}, form.lines) : 0;
}

uint32_t ch_java_stack_left(struct ch_calls *calls, struct ch_stack_form form) {
    return ch_calls_node(calls, root_of(calls, form), LEFT);
}

bool ch_java_stack_is_in_java(void) { return depth && stack[0].location >= 0; }

/* Returns how many frames of the stack the last n frames of the code replace: up to that of the code's outermost method
 * which the stack has. 0: it has none, since the thread has left the code meanwhile. */
static jint replaced_by(const struct ch_code_place *code, jint frames_there, jint *n) {
    for (uint32_t k = code->methods; k-- > 0;) {
        jmethodID method = code->frames[code->ends[k] - 1].method;
        *n = (jint)code->ends[k];
        if (*n <= frames_there && stack[*n - 1].method == method) return *n; /* of a recursion, as deep as it is */
        for (jint at = 0; at < frames_there; at++)
            if (stack[at].method == method) return at + 1;
    }
    *n = (jint)code->n;
    return 0;
}

uint32_t ch_java_stack_joined(JNIEnv *env, struct ch_calls *calls, struct ch_stack_form form,
                              const struct ch_code_place *code, bool *joined) {
    jvmtiFrameInfo kept[CH_CODE_DEPTH];
    bool cut = depth > (jint)form.depth;
    jint n = 0, there = depth - cut, replaced = replaced_by(code, there, &n);
    jvmtiFrameInfo *top = replaced ? stack + replaced - n : frames;
    uint32_t root = root_of(calls, form);
    *joined = replaced;
    struct path path = replaced ? (struct path){top, there - replaced + n, root, cut}
                                : (struct path){top, n, ch_java_stack_left(calls, form), false};
    if (path.n > (jint)form.depth) path.n = (jint)form.depth, path.cut = true;
    memcpy(kept, top, (size_t)n * sizeof *top);
    for (jint i = 0; i < n; i++) top[i] = (jvmtiFrameInfo){code->frames[i].method, code->frames[i].bci};
    uint32_t node = node_of(env, calls, path, form.lines);
    memcpy(top, kept, (size_t)n * sizeof *top);
    return node;
}
