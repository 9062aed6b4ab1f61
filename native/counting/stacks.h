/* The shadow stack, for those who own one or work on it. */
#ifndef CLASSHOOK_STACKS_H
#define CLASSHOOK_STACKS_H
#include "counting.h"

struct ch_frame {
    uint32_t id, weight;
    uint64_t start;
    int64_t callees;
    bool outermost;
};

struct ch_stack {
    struct ch_frame *frames;
    uint32_t depth, room;
    bool is_virtual;
    int64_t owner;               /* id of the virtual thread, while put aside */
    struct active *active;       /* virtual stacks only, see stacks.c */
    uint32_t actives, active_room;
    struct ch_stack *next;
};

/* stacks.c */
struct ch_stack *ch_stack_new(bool is_virtual);
void ch_stack_free(struct ch_stack *s);
struct ch_stack *ch_stack_take(void); /* an empty one for a virtual thread; NULL: no memory */
void ch_stack_spare(struct ch_stack *s); /* gives an empty one back */
bool ch_stack_grow(struct ch_stack *s);
bool ch_active_enter(struct ch_stack *s, uint32_t id); /* whether it was not active */
void ch_active_leave(struct ch_stack *s, uint32_t id);

/* timing.c */
void ch_stack_clear(struct ch_stack *s, struct ch_block *b);
void ch_stack_leave(struct ch_block *b); /* the thread ends: what stack it has is for others */
jint ch_timing_begin(struct ch_block *b, uint32_t id, uint32_t weight); /* of a paced method, which has been counted; its depth or 0 */
uint64_t ch_timing_cost_ps(uint32_t slot);
struct ch_times {
    uint64_t n, sum;
};
/* Activations of a method that this block's threads timed, and their ticks, but for the longest, in which classes may have been loaded. */
void ch_timing_add(struct ch_block *b, uint32_t id, struct ch_times *to);

#endif
