/* Trees of calls that samplers fill. */
#ifndef CLASSHOOK_CALL_TREE_H
#define CLASSHOOK_CALL_TREE_H
#include "blocks.h"

/* ---- call_tree.c: trees of calls */
struct ch_calls {
    struct ch_region region;
    CH_TABLE(struct ch_numbered) numbers; /* of nodes, by parent and slot */
    uint32_t most;
};
bool ch_calls_start(struct ch_calls *calls, enum ch_kind kind); /* lock held */
/* that of the parent, where there is no room */
uint32_t ch_calls_node(struct ch_calls *calls, uint32_t parent, uint32_t slot);
uint32_t ch_calls_known(const struct ch_calls *calls, uint32_t parent, uint32_t slot); /* 0: there is none yet */
/* and for as many short paths as there may still be */
bool ch_calls_room_for(const struct ch_calls *calls, uint32_t n);
void ch_calls_add(struct ch_calls *calls, uint32_t node, uint64_t cpu_ns, uint64_t wall_ns);
/* since the last look at a thread that ran then, and ran since */
void ch_calls_interval(struct ch_calls *calls, uint64_t ns);
static inline struct ch_tree *ch_calls_tree(const struct ch_calls *calls) {
    return (struct ch_tree *)calls->region.base;
} /* NULL before the start */
#endif
