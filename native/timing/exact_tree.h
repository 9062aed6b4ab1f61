/* The two places where timing follows the exact tree of calls: an activation begins, and it ends. */
#ifndef CLASSHOOK_CONTEXTS_H
#define CLASSHOOK_CONTEXTS_H
#include "shadow_stacks.h"

struct ch_exact_tree {
    struct ch_exact_node *nodes; /* of all threads */
    uint32_t root, deeper;    /* this thread's, as all below */
    uint32_t next, end;       /* nodes that are free */
    CH_TABLE(struct ch_numbered) numbers; /* of nodes, by parent and slot */
};

/* exact_tree.c */
/* Gives the stack's first n frames nodes of the block's tree. NULL: it has none. */
struct ch_exact_tree *ch_exact_tree_move(struct ch_block *b, struct ch_stack *s, uint32_t n);
/* the parent, where there is no room */
uint32_t ch_exact_tree_find(struct ch_exact_tree *c, uint32_t parent, uint32_t slot, bool is_call);
void ch_context_refuse(void);

/* `f` is about to become the topmost frame. */
static inline void ch_context_enter(struct ch_block *b, struct ch_stack *s, struct ch_frame *f, struct ch_record *r,
                                    bool in_tree) {
    f->exact_node = f[-1].exact_node;
    if (!in_tree) return;
    f->special |= CH_IN_TREE;
    struct ch_exact_tree *c = b->exact_tree;
    if (__builtin_expect(!c || c != s->exact_tree, 0)) {
        c = ch_exact_tree_move(b, s, s->depth);
        f->exact_node = f[-1].exact_node;
        if (!c) {
            ch_context_refuse();
            return;
        }
    }
    uint32_t parent = f->exact_node ? f->exact_node : c->root, child = r->context;
    if (r->parent != parent) {
        const struct ch_exact_node *above = &c->nodes[parent];
        /* what the parent knows of its child saves a look at the wrong one, which is likely not in the processor's
         * cache */
        child = above->last_slot == (uint16_t)f->id && c->nodes[above->last].slot == f->id ? above->last : 0;
        if (!child && (child = ch_exact_tree_find(c, parent, f->id, true)) == parent) { /* refused */
            f->exact_node = parent;
            return;
        }
        r->parent = parent;
        r->context = child;
    }
    c->nodes[parent].last = child;
    c->nodes[parent].last_slot = (uint16_t)f->id;
    c->nodes[child].calls++;
    f->exact_node = child;
}

/* `f` was the topmost frame. */
static inline void ch_context_leave(struct ch_block *b, struct ch_stack *s, const struct ch_frame *f, int64_t self) {
    if (!(f->special & CH_IN_TREE)) return;
    struct ch_exact_tree *c = b->exact_tree;
    if (__builtin_expect(c != s->exact_tree, 0)) c = ch_exact_tree_move(b, s, s->depth + 1);
    if (c) c->nodes[f->exact_node ? f->exact_node : c->root].self += self;
}
#endif
