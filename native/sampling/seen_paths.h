/* What the sampler knows of a thread with profiled methods: path_sampler.c, path_ticks.c. */
#ifndef CLASSHOOK_SEEN_PATHS_H
#define CLASSHOOK_SEEN_PATHS_H
#include "sampling.h"

struct ch_seen {
    uint64_t owner, cpu_ns, wall_ns;
    uint64_t apart_cpu_ns, apart_wall_ns; /* of both, the agent's */
    uint64_t waiting_ns; /* CPU time used, but not seen used */
    uint64_t given_ns; /* ... and of all owners, what paths were given, or the agent used itself */
    uint32_t node; /* the last path of profiled methods on which the owner was seen */
    struct ch_thread_activity asked;
    uint64_t due_ns, backoff_ns; /* when it is looked at next, and how long after the last look */
    struct ch_frames frames; /* of the path seen last */
    struct ch_ticked *ticked; /* NULL: its CPU time has no ticks */
    uint64_t ticked_cpu_ns, ticked_apart_ns; /* cpu_ns and apart_cpu_ns at the last tick */
};

/* ---- path_ticks.c */
const struct ch_path *ch_seen_path(const struct ch_block *b); /* on which its owner is, also in a context */
/* What is the program's of the time since the last reading; `apart` is the agent's so far, `known` what of it was known
 * then, and now is. */
uint64_t ch_seen_own(uint64_t *known, uint64_t apart, uint64_t since);
void ch_seen_give(struct ch_seen *seen, uint32_t node, uint64_t cpu, uint64_t wall);
uint32_t ch_seen_root(const struct ch_block *b); /* the node below which its paths are */
void ch_path_ticks_start(void);
void ch_path_ticks_look(void); /* whether they still come */
void ch_path_ticks_begin(struct ch_block *b); /* those of the owner seen now */
void ch_path_ticks_end(struct ch_seen *seen); /* the time since the last one was not given yet */
void ch_path_ticks_check(struct ch_seen *seen); /* whether the thread still gets them */
void ch_path_ticks_give(void); /* the CPU time of those that came */
#endif
