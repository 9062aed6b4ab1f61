/* Times of calls, the stacks that they need, and the exact tree of calls. */
#ifndef CLASSHOOK_TIMING_H
#define CLASSHOOK_TIMING_H
#include "../blocks/call_tree.h"
#include "../table/probe_table.h"

/* ---- shadow_stacks.c: shadow stacks, see shadow_stacks.h */
/* those of unmounted virtual threads: VirtualThread is no longer woven, so nobody will ask for them */
void ch_stacks_drop_unmounted(void);

/* ---- timing_records.c: records of timed methods, and their histograms */
uint32_t ch_octave(uint64_t ticks, uint32_t *step); /* the octave that counts this time, and the step within it */

/* ---- timing_cost.c: what probes cost on this machine */
extern const struct ch_measure ch_measure_time;

/* ---- pacing.c: which activations of a method are timed, if not all are */
bool ch_pace_start(void);
void ch_pace_class(const struct ch_woven_class *woven);

/* ---- exact_tree.c */
extern const struct ch_measure ch_measure_tree;
void ch_exact_tree_taken(struct ch_block *b); /* this thread has taken the block */
#endif
