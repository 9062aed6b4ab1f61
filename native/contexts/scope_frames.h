/* The data of the thread's stack that the block of a scope needs: see scope_frames.c. */
#ifndef CLASSHOOK_SCOPE_FRAMES_H
#define CLASSHOOK_SCOPE_FRAMES_H
#include "attribution.h"
#include "../timing/shadow_stacks.h"

static inline uint32_t ch_scope_stack_depth(void) { return ch_self.stack ? ch_self.stack->depth : 0; }

/* Calls that began outside of the block `to` are active there, too, or no longer; the first `frames` of the stack are
 * looked at. */
void ch_scope_mark_active(const struct ch_stack *s, uint32_t frames, struct ch_block *from, struct ch_block *to,
                          bool active);
/* Calls that are active go on in the other block, as if they had begun there. */
void ch_scope_move_frames(struct ch_stack *s, struct ch_block *from, struct ch_block *to);
void ch_scope_swap_stacks(struct ch_block *a, struct ch_block *b);

/* Makes the activations of the enclosing block active in the block of a context that goes on, too. */
void ch_scope_keep_around(const struct ch_scope *s);
/* It ends: what began within it is dropped, and what began around it is in its own block again. */
void ch_scope_bring_back(const struct ch_scope *s);
/* The number of the thread's frames that began further out than this scope, the innermost one. */
uint32_t ch_scope_frames_around(const struct ch_scope *s);

#endif
