/* The shadow stack, for the modules that own or modify one. */
#ifndef CLASSHOOK_STACKS_H
#define CLASSHOOK_STACKS_H
#include "counting.h"

struct ch_frame {
    uint32_t id, weight;
    uint64_t start;
    int64_t callees;
    uint64_t below; /* timed activations below it that have ended */
    uint64_t probes, probes_below; /* what probes took: outside the clock of the timed methods that it called, and of all below it, in ticks */
    uint16_t entry_cost; /* of its own probe, in ticks, if it is measured */
    bool outermost;
    bool in_tree;
    float squares; /* the variance of `callees`, where they are estimates */
    int32_t path; /* depth of its frame on the thread's path, -1 if it has none: see paths.c */
    uint32_t context; /* its node in the exact tree of calls, or that of its nearest caller that has one; 0: none */
};

struct ch_stack {
    struct ch_frame *frames;
    uint32_t depth, room;
    bool is_virtual;
    int64_t owner;               /* ID of the virtual thread, while it is unmounted */
    struct active *active;       /* virtual stacks only, see stacks.c */
    uint32_t actives, active_room;
    struct ch_contexts *contexts; /* whose nodes the frames have */
    struct ch_stack *next;
};

_Static_assert(sizeof(struct ch_frame) <= 64, "a frame is in one cache line");

/* stacks.c */
struct ch_stack *ch_stack_new(bool is_virtual);
void ch_stack_free(struct ch_stack *s);
struct ch_stack *ch_stack_take(void); /* an empty stack for a virtual thread; NULL: no memory */
void ch_stack_spare(struct ch_stack *s); /* gives back an empty stack */
bool ch_stack_grow(struct ch_stack *s);
bool ch_active_enter(struct ch_stack *s, uint32_t id); /* true if the method was not active before */
void ch_active_leave(struct ch_stack *s, uint32_t id);

/* timing.c */
void ch_stack_clear(struct ch_stack *s, struct ch_block *b);
void ch_stack_leave(struct ch_block *b); /* the thread ends: frees its stack for reuse */
jint ch_timing_begin(struct ch_block *b, uint32_t id, uint32_t weight); /* times a paced method already counted; its depth or 0 */
uint64_t ch_timing_cost_ps(uint32_t slot); /* measures what timing an activation costs, for corrections too */
struct ch_times {
    uint64_t n;
    int64_t sum;
};
/* Adds the method's timed activations in this block and their ticks, without the longest one: it may include class loading. */
void ch_timing_add(struct ch_block *b, uint32_t id, struct ch_times *to);

#endif
