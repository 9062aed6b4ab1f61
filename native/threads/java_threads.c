/* All Java threads, for the sampler of stacks (cpu_sampler.c).
 *
 * 1. A thread enters the list of new ones when it starts, and notes when it ends; it takes no lock for that. The
 *    sampler's thread takes new ones from the list, and frees those that have ended.
 * 2. A thread that has begun before the agent has no start event. Its number in the kernel is then unknown: the JVM has
 *    to be asked for its clock. The number is found as that of the thread whose clock agrees with the JVM's.
 */
#include "../base/jdk_members.h"
#include "threads.h"
#include <stdlib.h>
#include <unistd.h>

static struct ch_java_thread *fresh; /* pushed atomically; taken all at once */

uint32_t ch_java_number(JNIEnv *env, jthread thread) {
    static jfieldID field; /* the method may be the program's */
    jfieldID known = ch_load_acquire(&field);
    if (!known) {
        known = ch_jdk_field(env, CH_JDK_THREAD_ID, NULL);
        ch_store_release(&field, known);
    }
    return known ? (uint32_t)(*env)->GetLongField(env, thread, known) & (CH_THREAD - 1) : 0;
}

static struct ch_java_thread *add(JNIEnv *env, jthread thread, uint32_t tid, uint64_t cpu_ns) {
    struct ch_java_thread *t = calloc(1, sizeof *t);
    jobject kept = t ? (*env)->NewGlobalRef(env, thread) : NULL;
    if (!kept) {
        free(t);
        return NULL;
    }
    *t = (struct ch_java_thread){.thread = kept, .tid = tid, .cpu_ns = cpu_ns, .wall_ns = ch_monotonic_ns()};
    ch_push(&fresh, t, next);
    return t;
}

void ch_java_thread_started(JNIEnv *env, jthread thread) {
    if (!ch_self.java) ch_self.java = add(env, thread, (uint32_t)gettid(), ch_thread_cpu_ns());
}

void ch_java_thread_ended(void) {
    struct ch_java_thread *t = ch_self.java;
    if (!t) return;
    ch_self.java = NULL;
    t->ended_cpu_ns = ch_thread_cpu_ns();
    t->ended_wall_ns = ch_monotonic_ns();
    ch_store_release(&t->ended, true); /* from now on, it is the sampler's */
}

void ch_java_threads_find(JNIEnv *env, jthread self) {
    jthread *threads = NULL;
    jint n = 0;
    ch_java_thread_started(env, self); /* the main thread's start event comes after VMInit, if at all */
    if (!ch_ok((*ch_jvmti)->GetAllThreads(ch_jvmti, &n, &threads), "GetAllThreads")) return;
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        struct ch_java_thread *known = ch_load_acquire(&fresh);
        jlong cpu = 0;
        while (known && !(*env)->IsSameObject(env, known->thread, threads[i])) known = known->next;
        if (!known && !(*ch_jvmti)->GetThreadCpuTime(ch_jvmti, threads[i], &cpu))
            add(env, threads[i], 0, (uint64_t)cpu);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)threads);
}

struct ch_java_thread *ch_java_threads_new(void) { return ch_exchange_acquire(&fresh, NULL); }

bool ch_java_thread_clock(const struct ch_java_thread *t, uint64_t *ns) {
    jlong cpu = 0;
    if (t->tid) return ch_cpu_clock(t->tid, ns);
    if ((*ch_jvmti)->GetThreadCpuTime(ch_jvmti, t->thread, &cpu)) return false;
    *ns = (uint64_t)cpu;
    return true;
}

struct clocks { /* of all threads of the process */
    uint32_t n, room;
    struct clock {
        uint32_t tid;
        uint64_t ns;
    } *all;
};

static bool read_clock(uint32_t tid, void *with) {
    struct clocks *c = with;
    if (c->n == c->room) {
        uint32_t room = c->room ? c->room * 2 : 64;
        struct clock *more = realloc(c->all, room * sizeof *more);
        if (!more) return false;
        c->all = more;
        c->room = room;
    }
    if (ch_cpu_clock(tid, &c->all[c->n].ns)) c->all[c->n++].tid = tid;
    return true;
}

uint32_t ch_java_thread_tid(const struct ch_java_thread *t) {
    struct clocks c = {0};
    jlong before = 0, after = 0;
    uint32_t found = 0, fitting = 0;
    if (t->tid) return t->tid;
    if ((*ch_jvmti)->GetThreadCpuTime(ch_jvmti, t->thread, &before)) return 0;
    ch_each_thread(read_clock, &c);
    if (!(*ch_jvmti)->GetThreadCpuTime(ch_jvmti, t->thread, &after))
        for (uint32_t i = 0; i < c.n; i++)
            if (c.all[i].ns >= (uint64_t)before && c.all[i].ns <= (uint64_t)after) {
                found = c.all[i].tid;
                fitting++;
            }
    free(c.all);
    return fitting == 1 ? found : 0;
}

void ch_java_thread_free(JNIEnv *env, struct ch_java_thread *t) {
    (*env)->DeleteGlobalRef(env, t->thread);
    free(t);
}

/* A thread object, in the system's group and not in the program's. */
jobject ch_new_thread(JNIEnv *env, const char *name) {
    jthreadGroup *groups = NULL;
    jint n = 0;
    jclass c = ch_boot_class(env, "java.lang.Thread");
    jmethodID make = c ? (*env)->GetMethodID(env, c, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V") : NULL;
    jstring title = make ? (*env)->NewStringUTF(env, name) : NULL;
    if (!title) (*env)->ExceptionClear(env);
    if (!title || (*ch_jvmti)->GetTopThreadGroups(ch_jvmti, &n, &groups)) return NULL;
    jobject made = (*env)->NewObject(env, c, make, n ? groups[0] : NULL, title);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)groups);
    if (!(*env)->ExceptionCheck(env)) return (*env)->NewGlobalRef(env, made);
    (*env)->ExceptionClear(env);
    return NULL;
}
