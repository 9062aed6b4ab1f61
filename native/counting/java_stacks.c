/* The stack of a Java thread as a path in a tree of calls, by JVMTI.
 *
 * 1. A method has a number, by which the tree names it, and its names are written to the metadata, when it is first seen: later it may be
 *    unloaded. The JVM never uses the jmethodID of an unloaded method again.
 * 2. Of a deep stack the topmost frames are kept, below one that stands for the others. When the tree gets full, only the topmost frame of a stack
 *    that was not there before is kept: what methods take themselves stays right.
 * 3. A virtual thread is not known to the JVM's list of threads. Its carrier refers to it while it is mounted: by a field, the continuation that
 *    runs, whose task belongs to the virtual thread. If one of these fields is missing, the carrier's own frames are taken.
 */
#include "counting.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4096, MOST_METHODS = 1 << 19, DEEPER = 0, UNLOADED = 1 };

static struct method {
    jmethodID id; /* NULL: free */
    uint32_t number;
} *methods; /* open addressing */
static uint32_t room, used, numbers = UNLOADED + 1;
static jvmtiFrameInfo frames[CH_MOST_DEPTH + 1];
static jfieldID running, target, owner; /* Thread.cont, Continuation.target, and what that refers to */
static jclass of_virtual;               /* the class of a virtual thread's task */
static bool looked_for_fields;

/* ---- methods */

static void name(uint32_t number, const char *class, const char *method, const char *descriptor) {
    char text[8192];
    size_t bytes = 0;
    const char *parts[] = {class, method, descriptor};
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(parts[i]) + (i < 2); /* modified UTF-8 has no zero byte */
        if (bytes + n > sizeof text) break;
        memcpy(text + bytes, parts[i], n);
        bytes += n;
    }
    ch_meta_add(CH_META_METHOD, number, 0, text, bytes);
}

bool ch_java_stacks_start(void) {
    methods = calloc(FIRST_ROOM, sizeof *methods);
    if (!methods) return false;
    room = FIRST_ROOM;
    name(DEEPER, "", "[deeper]", "");
    name(UNLOADED, "", "[unloaded]", "");
    return true;
}

static struct method *place_of(jmethodID id) {
    uint32_t at = (uint32_t)((uintptr_t)id * 0x9E3779B97F4A7C15u >> 32) & (room - 1);
    while (methods[at].id && methods[at].id != id) at = (at + 1) & (room - 1);
    return &methods[at];
}

static void grow(void) {
    struct method *old = methods, *more = calloc((size_t)room * 2, sizeof *more);
    if (!more) return;
    methods = more;
    room *= 2;
    for (uint32_t i = 0; i < room / 2; i++)
        if (old[i].id) *place_of(old[i].id) = old[i];
    free(old);
}

/* Its new number, after writing its names; the class is held first, so that it is not unloaded meanwhile. */
static uint32_t named(JNIEnv *env, jmethodID id) {
    jclass class = NULL;
    char *signature = NULL, *method = NULL, *descriptor = NULL;
    uint32_t number = UNLOADED;
    if ((*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, id, &class)) return UNLOADED;
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, class, &signature, NULL) && !(*ch_jvmti)->GetMethodName(ch_jvmti, id, &method, &descriptor, NULL))
        name(number = numbers++, signature, method, descriptor);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)method);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)descriptor);
    (*env)->DeleteLocalRef(env, class);
    return number;
}

static uint32_t number_of(JNIEnv *env, jmethodID id) {
    if (!id) return UNLOADED;
    struct method *place = place_of(id);
    if (place->id) return place->number;
    if (used * 2 >= room) {
        grow();
        place = place_of(id);
    }
    if (numbers >= MOST_METHODS || used >= room - 1) return UNLOADED;
    used++;
    *place = (struct method){id, named(env, id)};
    return place->number;
}

/* ---- virtual threads */

static jfieldID field_of(JNIEnv *env, jclass c, const char *field, const char *type) {
    jfieldID found = c ? (*env)->GetFieldID(env, c, field, type) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    return found;
}

/* Once a carrier runs a continuation: then their classes are initialised, which looking for fields would otherwise do. */
static void find_fields(JNIEnv *env) {
    jclass continuation = ch_boot_class(env, "jdk.internal.vm.Continuation"), task = ch_boot_class(env, "java.lang.VirtualThread$VThreadContinuation$1");
    looked_for_fields = true;
    target = field_of(env, continuation, "target", "Ljava/lang/Runnable;");
    owner = field_of(env, task, "val$vthread", "Ljava/lang/VirtualThread;");
    if (target && owner) of_virtual = (*env)->NewGlobalRef(env, task);
    if (continuation) (*env)->DeleteLocalRef(env, continuation);
    if (task) (*env)->DeleteLocalRef(env, task);
}

/* The virtual thread that is mounted on this thread, a local reference; NULL if there is none. */
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

void ch_java_stacks_find(JNIEnv *env) {
    jclass thread = ch_jvm_version >= CH_CARRIERS ? ch_boot_class(env, "java.lang.Thread") : NULL;
    running = field_of(env, thread, "cont", "Ljdk/internal/vm/Continuation;");
}

/* ---- stacks */

/* The node of the first n frames, the topmost one first; `node`: the path above them. */
static uint32_t node_of(JNIEnv *env, struct ch_calls *calls, uint32_t node, jint n) {
    bool room = ch_calls_room_for(calls, (uint32_t)n);
    for (jint i = n; i-- > 0;) {
        uint32_t number = number_of(env, frames[i].method), known = room ? 0 : ch_calls_known(calls, node, number);
        if (!room && !known) {
            ch_calls_tree(calls)->refused += (uint64_t)n - 1;
            return ch_calls_node(calls, ch_calls_node(calls, 0, DEEPER), number_of(env, frames[0].method));
        }
        node = room ? ch_calls_node(calls, node, number) : known;
    }
    return node;
}

uint32_t ch_java_stack(JNIEnv *env, struct ch_calls *calls, jthread thread, uint32_t depth, uint32_t *taken) {
    jobject mounted = mounted_on(env, thread);
    jint n = 0, most = (jint)depth + 1;
    if (!mounted || (*ch_jvmti)->GetStackTrace(ch_jvmti, mounted, 0, most, frames, &n) || !n)
        if ((*ch_jvmti)->GetStackTrace(ch_jvmti, thread, 0, most, frames, &n)) n = 0; /* it has just ended */
    if (mounted) (*env)->DeleteLocalRef(env, mounted);
    *taken = (uint32_t)n;
    return n == most ? node_of(env, calls, ch_calls_node(calls, 0, DEEPER), n - 1) : node_of(env, calls, 0, n);
}
