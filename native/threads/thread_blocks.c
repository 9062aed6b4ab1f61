/* The blocks that threads have, and what probes do on a thread without one.
 *
 * 1. Each platform thread's Thread object holds the negated address of its block's slots in the field stackSize. The
 *    JVM reads that field when it starts the thread, and never again. After that, only the thread itself stores an
 *    address there. Another thread may take the address out (ch_threads_look): then the thread's next probe looks for
 *    its block, and puts it in again. The field is final, but no class trusts that: the JIT compilers would take a
 *    final field of an object for constant only if the object itself were one, and the current thread never is. JNI
 *    must not store in final fields (JEP 500), so Unsafe does.
 * 2. The first EAGER threads get their block when they start, so the JIT compilers never see a probe take the slow path
 *    and do not compile it. A thread without a block (attached, older than the agent, or started later) counts through
 *    JNI. It counts a few times in the shared block, since a program with many threads hardly runs any code in most of
 *    them. Then it takes a block, keeps it in a thread-local and stores the address in its Thread object.
 */
#include "../base/jdk_members.h"
#include "../base/unsafe.h"
#include "../timing/shadow_stacks.h"
#include "thread_names.h"
#include "tracker_natives.h"

#define EAGER 64u

static jfieldID holder_field, slots_field; /* Thread.holder (NULL before JDK 19) and stackSize in it, which is final */
static jlong slots_at; /* the offset of stackSize */
static jclass thread_class;
static jmethodID current; /* returns the platform thread, even when a virtual one is mounted on it */
static struct ch_block silent; /* its counts are never read */

static bool made(struct ch_block *b) {
    b->stack = ch_stack_new(false);
    return b->stack;
}

static void taken(struct ch_block *b) {
    ch_exact_tree_taken(b);
    if (!ch_self.virtual_id && ch_self.own && !ch_self.own->depth)
        ch_stack_leave(b); /* the block's own stack is faster */
}

/* A thread that has a start event has its name by then. */
static void name_carrier(void) {
    void *env = NULL;
    if ((*ch_vm)->GetEnv(ch_vm, &env, JNI_VERSION_1_8) == JNI_OK) ch_number_self(env);
}

static void left(struct ch_block *b) {
    ch_stack_leave(b);
    ch_stack_clear(b->stack, b);
}

bool ch_threads_start(void) { return ch_blocks_start((struct ch_block_life){made, taken, left, name_carrier}); }

/* The object with the thread's stackSize field; NULL while the thread attaches. */
static jobject holder_of(JNIEnv *env, jthread thread) {
    return holder_field ? (*env)->GetObjectField(env, thread, holder_field) : thread;
}

/* JNI needs less of the stack, which may end here. */
static void store(JNIEnv *env, jobject holder, jlong value) {
    if (!ch_unsafe_put_long(env, holder, slots_at, value)) (*env)->SetLongField(env, holder, slots_field, value);
}

/* Stores the block's address for this thread's probes. If the thread has no block of its own, clears any value they
 * would take for an address. */
static void note_slots(JNIEnv *env, jthread thread, struct ch_block *b) {
    jobject holder = slots_field ? holder_of(env, thread) : NULL;
    if (!holder) return;
    if (b && !ch_block_is_shared(b))
        store(env, holder, -(jlong)(uintptr_t)b->slots.base);
    else if ((*env)->GetLongField(env, holder, slots_field) < 0)
        store(env, holder, 0);
    if (holder != thread) (*env)->DeleteLocalRef(env, holder);
}

jthread ch_thread_current(JNIEnv *env) {
    jthread thread = current ? (*env)->CallStaticObjectMethod(env, thread_class, current) : NULL;
    return (*env)->ExceptionCheck(env) ? NULL : thread; /* it throws nothing, but -Xcheck:jni requires the check */
}

uint32_t ch_number_self(JNIEnv *env) {
    jthread thread =
        ch_wanted.threads_named && !ch_self.thread_name && !(*env)->ExceptionCheck(env) ? ch_thread_current(env) : NULL;
    if (thread) {
        ch_thread_name_self(env, thread);
        (*env)->DeleteLocalRef(env, thread);
    }
    return ch_self.number;
}

void ch_silence(JNIEnv *env, struct ch_silence *s) {
    jthread thread = ch_thread_current(env);
    if (!thread) return;
    ch_lock();
    if (!silent.slots.base) ch_region_memory(&silent.slots, CH_BLOCK_BYTES);
    ch_unlock();
    if (!silent.slots.base) return;
    *s = (struct ch_silence){thread, ch_self.block};
    ch_self.block = &silent;
    ch_self.plain = NULL;
    ch_self.silent++;
    note_slots(env, thread, &silent);
}

void ch_silence_end(JNIEnv *env, struct ch_silence *s) {
    if (!s->thread) return;
    ch_self.block = s->block;
    ch_self.silent--;
    note_slots(env, s->thread, s->block);
    (*env)->DeleteLocalRef(env, s->thread);
}

void ch_thread_started(JNIEnv *env, jthread thread) {
    static uint32_t started;
    bool eager =
        slots_field && !ch_wanted.only_sampling && (ch_block_is_spare() || ch_add_relaxed(&started, 1) < EAGER);
    note_slots(env, thread, eager ? ch_block_self() : NULL);
}

/* Finds where threads keep their block's address; unless all of it is found, nothing is stored in them. */
static bool find_slots(JNIEnv *env) {
    jclass thread, owner;
    jmethodID found = ch_jdk_method(env, CH_JDK_THREAD_CURRENT, &thread);
    jfieldID field = ch_jdk_field(env, CH_JDK_THREAD_SLOTS, &owner);
    holder_field = ch_jdk_field(env, CH_JDK_THREAD_HOLDER, NULL);
    if (!found || !field || (!holder_field && ch_jvm_version >= CH_CARRIERS) || !ch_unsafe_may_store(env)) return false;
    slots_at = ch_unsafe_offset(env, owner, "stackSize");
    thread_class = (*env)->NewGlobalRef(env, thread);
    if (!slots_at || !thread_class) return false;
    current = found;
    slots_field = field;
    return true;
}

bool ch_threads_find(JNIEnv *env, jthread self) {
    jint n = 0;
    jthread *threads = NULL;
    if (!find_slots(env) || !ch_ok((*ch_jvmti)->GetAllThreads(ch_jvmti, &n, &threads), "GetAllThreads")) return false;
    (void)ch_local_room(env, 2 * n + 64);
    for (jint i = 0; i < n; i++) {
        note_slots(env, threads[i], NULL);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)threads);
    ch_thread_started(env, self); /* the main thread has no start event */
    return true;
}

void ch_thread_store(JNIEnv *env, jthread thread, struct ch_block *b) { note_slots(env, thread, b); }

void ch_threads_look(JNIEnv *env) {
    jint n = 0;
    jthread *threads = NULL, self = slots_field ? ch_thread_current(env) : NULL;
    if (!self || (*ch_jvmti)->GetAllThreads(ch_jvmti, &n, &threads)) return;
    (void)ch_local_room(env, 2 * n + 64);
    for (jint i = 0; i < n; i++) {
        if (!(*env)->IsSameObject(env, self, threads[i])) note_slots(env, threads[i], NULL);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)threads);
    (*env)->DeleteLocalRef(env, self);
}

void ch_thread_ended(JNIEnv *env, jthread thread) {
    struct ch_block *b = ch_self.block;
    ch_agents_work_forget();
    if (!b) {
        ch_stack_leave(&ch_shared);
        return;
    }
    note_slots(env, thread, NULL); /* it may still run Java code */
    ch_block_give_back(b);
}

/* Adds one to a slot and, optionally, `bytes` to the next one. Any slot number is safe. */
static void count(JNIEnv *env, struct ch_block *b, jint slot, jthread thread, bool with_bytes, uint64_t bytes) {
    if (thread) note_slots(env, thread, b);
    ch_block_add(b, slot, 0, 1);
    if (with_bytes) ch_block_add(b, slot, CH_ALLOC_BYTES, bytes);
}

/* ---- natives called by the tracker, see native/tracker/; `thread` is the carrier */

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_mask(JNIEnv *env, jclass c) {
    (void)env, (void)c;
    return (jint)(ch_room.slots - 1);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_countSlowly(JNIEnv *env, jclass c, jint slot, jthread thread) {
    (void)c;
    ch_follow(env, thread);
    count(env, ch_block_for_count(), slot, thread, false, 0);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_arraySlowly(JNIEnv *env, jclass c, jlong bytes, jint slot,
                                                                   jthread thread) {
    (void)c;
    ch_follow(env, thread);
    count(env, ch_block_for_count(), slot, thread, true, (uint64_t)bytes);
}

/* For a thread without a block: the tracker has not counted this call. */
JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_dueSlowly(JNIEnv *env, jclass c, jint calls, jthread thread) {
    (void)c;
    ch_follow(env, thread);
    struct ch_block *b = ch_block_self();
    count(env, b, calls, thread, false, 0);
    if (!ch_slots_there(calls, CH_PACED_SLOTS - CH_PACED_CALLS)) return 0;
    uint64_t *counted = ch_slot(b, (uint32_t)calls);
    return (int64_t)counted[0] > (int64_t)counted[CH_PACED_NEXT - CH_PACED_CALLS] ? calls : 0;
}
