/* Samplers: of the paths of profiled methods, and of all stacks. */
#ifndef CLASSHOOK_SAMPLING_H
#define CLASSHOOK_SAMPLING_H
#include "../contexts/attribution.h"

/* ---- path_reader.c: a path as the sampler saw it last */
struct ch_frames {
    uint32_t n, room;
    struct step {
        uint32_t slot, node;
    } *steps;
};
/* The node of the path that the thread is on, below `root`; of its outer part, if the rest changes too fast (`torn`).
 * `idle`: it is as it was at the last look, which had the same root. */
uint32_t ch_frames_read(const struct ch_path *path, uint32_t root, struct ch_frames *seen, bool *idle);

/* ---- sampling_period.c: how often the sampler wakes */
bool ch_period_asked(const char *table, size_t bytes); /* by a class's table: whether any is; takes note of it */
uint64_t ch_period(void); /* ns; 0: nobody asked for one */
void ch_period_learn(uint64_t own_ns); /* the CPU time that the sampler uses for a wake */

/* ---- sampling_schedule.c: when both samplers look */
struct ch_moments {
    uint64_t start, state; /* of the period; of the random numbers */
};
struct ch_moments ch_moments_begin(void);
uint64_t ch_next_moment(struct ch_moments *moments, uint64_t period); /* a random one in the next period */

/* ---- path_sampler.c: one thread that looks at all paths */
extern const struct ch_measure ch_measure_profile;

/* ---- java_stacks.c: stacks of Java threads as paths in a tree */
#define CH_MOST_DEPTH 1024u
bool ch_java_stacks_start(void);
void ch_java_stacks_find(JNIEnv *env); /* the fields that lead to a mounted virtual thread */
/* that virtual thread, a local reference; NULL: none, or it cannot be found */
jthread ch_java_mounted_on(JNIEnv *env, jthread carrier);
struct ch_stack_form {
    uint32_t depth;
    bool lines; /* a method's frames are told apart by them */
    uint32_t thread; /* below whose node it is; 0: threads are not told apart */
};
/* its node; how many frames were taken */
uint32_t ch_java_stack(JNIEnv *env, struct ch_calls *calls, const struct ch_java_thread *t, struct ch_stack_form form,
                       uint32_t *taken);

/* ---- cpu_sampler.c: the sampler of stacks */
extern const struct ch_measure ch_measure_cpu;
#endif
