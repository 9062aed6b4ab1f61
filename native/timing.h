/* The shadow stack's life, for those who own one. */
#ifndef CLASSHOOK_TIMING_H
#define CLASSHOOK_TIMING_H
#include "agent.h"
void ch_stack_free(struct ch_stack *s);
uint64_t ch_timing_cost_ps(uint32_t slot);

/* pace.c: called before an activation of a paced method is timed */
void ch_pace(struct ch_block *b, uint32_t id);
#endif
