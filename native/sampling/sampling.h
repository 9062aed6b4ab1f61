/* The sampler of the stacks of all threads. */
#ifndef CLASSHOOK_SAMPLING_H
#define CLASSHOOK_SAMPLING_H
#include "../contexts/attribution.h"
#include "code_map.h"
#include "cpu_ticks.h"

/* ---- sampling_schedule.c: when the sampler looks */
struct ch_moments {
    uint64_t start, state; /* of the period; of the random numbers */
};
struct ch_moments ch_moments_begin(void);
uint64_t ch_next_moment(struct ch_moments *moments, uint64_t period); /* a random one in the next period */

/* ---- process_time.c */
struct ch_process_time {
    uint64_t cpu_ns, system_ns;
};
void ch_process_time_begin(struct ch_process_time *since);
void ch_process_time_add(const struct ch_calls *calls, struct ch_process_time *since); /* and begins again */

/* ---- java_stacks.c: stacks of Java threads as paths in a tree */
#define CH_MOST_DEPTH 1024u
bool ch_java_stacks_start(void);
void ch_java_stacks_find(JNIEnv *env); /* the fields that lead to a mounted virtual thread */
/* that virtual thread, a local reference; NULL: none, or it cannot be found */
jthread ch_java_mounted_on(JNIEnv *env, jthread carrier);
struct ch_stack_form {
    uint32_t depth;
    bool lines; /* a method's frames are told apart by them */
    uint32_t context, thread; /* below whose node it is; 0: they are not told apart */
};
/* Takes a thread's stack; how many frames it has. */
uint32_t ch_java_stack_take(JNIEnv *env, jthread thread, uint32_t most);
/* The node of the stack that was taken last. */
uint32_t ch_java_stack(JNIEnv *env, struct ch_calls *calls, struct ch_stack_form form);
/* The node of a place in compiled code below that stack, as far as both agree (`joined`). */
uint32_t ch_java_stack_joined(JNIEnv *env, struct ch_calls *calls, struct ch_stack_form form,
                              const struct ch_code_place *code, bool *joined);
/* The node below which code is whose place in that stack is not known. */
uint32_t ch_java_stack_left(struct ch_calls *calls, struct ch_stack_form form);
bool ch_java_stack_is_in_java(void); /* the topmost method is no native one */
uint32_t ch_frame_named(const char *text); /* the number of a frame that is no method */

/* ---- ticked_code.c: what a tick fell on */
struct ch_ran_at {
    uint32_t node; /* of the agent's code: none */
    enum ch_ran ran;
    bool unjoined;
};
/* On a Java thread whose stack was taken just now; `node`: of that stack. */
struct ch_ran_at ch_ran_in_java(JNIEnv *env, struct ch_calls *calls, struct ch_stack_form form, uint32_t node,
                                const struct ch_tick *tick);
struct ch_ran_at ch_ran_natively(struct ch_calls *calls, uint32_t node, uint64_t pc); /* below the node */

/* ---- thread_looks.c: what the sampler finds out about a Java thread */
struct ch_cpu { /* the rule */
    uint64_t period_ns;
    struct ch_stack_form form;
    bool threads_apart;
    bool ticks; /* threads are sampled by ticks of their CPU time */
    struct ch_calls calls;
};
extern struct ch_cpu ch_cpu;
/* Looks where a thread is, in the period with this number. True if its stack was taken. */
bool ch_thread_look(JNIEnv *env, struct ch_java_thread *t, uint64_t period);
/* Gives the CPU time since the last look to the code on which the ticks fell. */
void ch_thread_ticked(JNIEnv *env, struct ch_ticked *ticked, uint64_t period);
void ch_thread_settle(struct ch_java_thread *t); /* adds the last time of a thread: at its end, or that of the JVM */
void ch_thread_look_anew(struct ch_java_thread *t); /* the time until now is not reported */

/* ---- sampled_threads.c: all Java threads */
void ch_sampled_take_new(JNIEnv *env);
void ch_sampled_look(JNIEnv *env, uint64_t period); /* at those whose turn it is */
void ch_sampled_settle(void);
void ch_sampled_begin_again(JNIEnv *env); /* after a pause */
bool ch_sampled_is_java(uint32_t tid);
void ch_sampled_listen_no_more(void); /* to ticks */
void ch_sampled_begin_thread(JNIEnv *env, jthread thread); /* this one */

/* ---- native_threads.c: threads that are not Java's */
void ch_native_threads_look(struct ch_calls *calls); /* for new ones, and for those that have ended */
void ch_native_thread_ticked(struct ch_calls *calls, struct ch_ticked *ticked);
void ch_native_threads_settle(struct ch_calls *calls); /* at the end */

/* ---- cpu_sampler.c: the sampler of stacks */
extern const struct ch_measure ch_measure_cpu;
#endif
