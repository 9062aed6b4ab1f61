/* Threads of the program: their blocks, their names, and what Java and the kernel say of them. */
#ifndef CLASSHOOK_THREADS_H
#define CLASSHOOK_THREADS_H
#include "../timing/timing.h"

/* ---- thread_blocks.c: which thread has which block, and what probes do on a thread without one */
bool ch_threads_find(JNIEnv *env, jthread self); /* finds the field of Thread through which probes reach their block */
struct ch_silence {
    jthread thread;
    struct ch_block *block;
};
void ch_silence(JNIEnv *env, struct ch_silence *s); /* from now on, what this thread runs is not counted */
void ch_silence_end(JNIEnv *env, struct ch_silence *s);
jthread ch_thread_current(JNIEnv *env); /* this thread, or what carries it; runs Java. NULL: it cannot be found */
void ch_thread_started(JNIEnv *env, jthread thread);
/* in the Thread object: where its probes count from now on */
void ch_thread_store(JNIEnv *env, jthread thread, struct ch_block *b);
void ch_threads_look(
    JNIEnv *
        /* the next probe of each other thread takes the slow path, where the thread looks for its block; runs Java */
        env);
void ch_thread_ended(JNIEnv *env, jthread thread);
bool ch_threads_start(void);

/* ---- moved_threads.c: natives of the tracker that may move the thread to another block */
/* this platform thread's probes, from now on */
void ch_thread_counts_in(JNIEnv *env, jthread thread, struct ch_block *b);
void ch_may_move(void); /* the native begins */
jlong ch_moved(jint number); /* ... and ends with this result */

/* ---- kernel_threads.c: what the kernel says of a thread */
bool ch_cpu_clock(uint32_t tid, uint64_t *ns); /* false: it has ended */
struct ch_thread_activity { /* what the kernel said of a thread when it was asked last */
    uint64_t waits, cpu_ns; /* how often it had waited */
};
bool ch_was_interrupted(uint32_t tid, struct ch_thread_activity *last, uint64_t now);
void ch_shorten_time_slice(void); /* this thread should be woken at once */

/* ---- java_threads.c: all Java threads, for the sampler of stacks */
struct ch_java_thread {
    struct ch_java_thread *next; /* in the list of new ones */
    jobject thread;
    uint32_t tid; /* 0: unknown */
    uint32_t context; /* the slot of the context that it is in, which it sets itself; 0: none */
    uint32_t number; /* that Java gives it, once that was asked */
    bool ended;
    uint64_t ended_cpu_ns, ended_wall_ns;
    /* what the sampler saw last, and at first what there was at the thread's start */
    uint64_t cpu_ns, wall_ns;
    uint64_t waiting_ns, given_ns; /* CPU time used, but not seen used; and what was */
    struct ch_thread_activity asked;
    uint64_t due, backoff; /* in periods */
    uint32_t node, ran; /* its stack; and when it was last seen running, 0: never */
    bool seen;
    struct ch_ticked *ticked; /* NULL: its CPU time has no ticks */
    /* in the agent's work: the wall time of all that has ended, and since when it is in such work; 0: it is in none. The
     * thread sets both */
    uint64_t agents_ns, agents_since_ns;
    uint64_t agents_taken_ns; /* so much of it the sampler has taken off */
};
uint32_t ch_java_number(JNIEnv *env, jthread thread); /* that Java gives a thread; 0: unknown */
void ch_java_thread_started(JNIEnv *env, jthread thread);
void ch_java_thread_ended(void); /* this thread */

/* ---- agents_work.c: this thread does the agent's work, and not the program's */
uint64_t ch_agents_work_begins(void); /* when, in ticks; 0: within other such work */
void ch_agents_work_ends(uint64_t began);
uint64_t ch_agents_work_since(uint64_t begun); /* ticks of it, if calls are watched */
void ch_agents_work_forget(void); /* the thread ends */

/* ---- java_threads.c */
uint32_t ch_java_thread_tid(const struct ch_java_thread *t); /* in the kernel; 0: not found */
void ch_java_threads_find(JNIEnv *env, jthread self); /* those that are there at VMInit */
struct ch_java_thread *ch_java_threads_new(void); /* since the last call */
bool ch_java_thread_clock(const struct ch_java_thread *t, uint64_t *ns); /* false: it has ended */
/* a thread of the agent's, a global reference; NULL: it could not be made */
jobject ch_new_thread(JNIEnv *env, const char *name);
void ch_java_thread_free(JNIEnv *env, struct ch_java_thread *t);
#endif
