/* The data of the thread's stack that the block of a scope needs. The thread's shadow stack belongs to the block in
 * which it counts; methods that are active on it are active in that block's records. */
#include "scope_frames.h"
#include "known_contexts.h"
#include "../timing/timing_records.h"

static bool has(const struct ch_block *b, const struct ch_record *r) {
    const uint8_t *at = (const uint8_t *)r;
    return b->records.base && at >= b->records.base && at < b->records.base + b->records.bytes;
}

void ch_scope_mark_active(const struct ch_stack *s, uint32_t frames, struct ch_block *from, struct ch_block *to,
                          bool active) {
    for (uint32_t i = 1; i <= frames && i <= s->depth; i++) { /* of contexts that go on, some may have ended */
        const struct ch_frame *f = &s->frames[i];
        if (has(to, f->record)) continue;
        struct ch_record *inner = active ? ch_record_of(to, f->id) : ch_record_at(to, *ch_slot(to, f->id));
        const struct ch_record *outer = ch_record_at(from, *ch_slot(from, f->id));
        if (!inner) continue;
        inner->active = active;
        inner->sampled_at = active && outer ? outer->sampled_at : 0;
    }
}

void ch_scope_move_frames(struct ch_stack *s, struct ch_block *from, struct ch_block *to) {
    for (uint32_t i = 1; !s->is_virtual && i <= s->depth; i++) {
        struct ch_frame *f = &s->frames[i];
        struct ch_record *left = ch_record_at(from, *ch_slot(from, f->id)), *entered = ch_record_of(to, f->id);
        if (left == entered) continue;
        if (!entered) f->special |= CH_CHARGED; /* no room: so that its exit finds that out */
        if (!entered) continue;
        f->record = entered;
        entered->active = 1;
        if (!left || !left->active) continue;
        entered->sampled_at = left->sampled_at;
        left->active = 0;
        left->sampled_at = 0;
    }
}

void ch_scope_swap_stacks(struct ch_block *a, struct ch_block *b) {
    struct ch_stack *s = a->stack;
    a->stack = b->stack;
    b->stack = s;
}

void ch_scope_keep_around(const struct ch_scope *s) {
    for (uint32_t i = s->frames + 1; i <= ch_scope_stack_depth(); i++) {
        struct ch_frame *f = &ch_self.stack->frames[i];
        struct ch_record *inner = ch_self.stack->is_virtual ? NULL : ch_record_of(s->to, f->id);
        f->special |= CH_AROUND;
        if (inner) inner->active = 1;
    }
}

void ch_scope_bring_back(const struct ch_scope *s) {
    for (uint32_t i = ch_scope_stack_depth(); i > s->frames; i--) {
        struct ch_frame *f = &ch_self.stack->frames[i];
        struct ch_record *inner = ch_record_at(s->to, *ch_slot(s->to, f->id));
        if (!(f->special & CH_AROUND)) {
            ch_stack_drop(ch_self.stack, s->to, i - 1);
            continue;
        }
        f->special &= ~(uint32_t)CH_AROUND;
        if (inner && !ch_self.stack->is_virtual) inner->active = 0;
    }
}

uint32_t ch_scope_frames_around(const struct ch_scope *s) {
    uint32_t n = s->frames < ch_scope_stack_depth() ? s->frames : ch_scope_stack_depth();
    while (n < ch_scope_stack_depth() && ch_self.stack->frames[n + 1].special & CH_AROUND) n++;
    return n;
}
