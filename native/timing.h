/* The shadow stack's life, for those who own one. */
#ifndef CLASSHOOK_TIMING_H
#define CLASSHOOK_TIMING_H
#include "agent.h"
void ch_stack_free(struct ch_stack *s);
#endif
