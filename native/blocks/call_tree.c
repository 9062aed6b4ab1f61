/* Trees of calls, in the data file. Only one thread writes a tree; where its nodes are is known in memory. */
#include "call_tree.h"

enum { MOST_NODES = 1 << 21, SHORT_PATHS = 8 /* one node of so many is kept for them */ };

static struct ch_node *nodes(const struct ch_calls *calls) {
    return (struct ch_node *)(calls->region.base + sizeof(struct ch_tree));
}

bool ch_calls_start(struct ch_calls *calls, enum ch_kind kind) {
    size_t bytes = sizeof(struct ch_tree) + MOST_NODES * sizeof(struct ch_node);
    if (ch_room.limit && bytes > ch_room.limit / 64) bytes = ch_room.limit / 64;
    if (!ch_region_open(&calls->region, kind, 0, bytes, 0)) return false;
    calls->most = (uint32_t)((bytes - sizeof(struct ch_tree)) / sizeof(struct ch_node));
    nodes(calls)[0].slot = UINT32_MAX;
    ch_calls_tree(calls)->nodes = 1;
    return true;
}

struct child {
    const struct ch_node *all;
    uint32_t parent, slot;
};

static bool is_child(const void *entry, const void *wanted) {
    const struct child *c = wanted;
    const struct ch_node *n = &c->all[((const struct ch_numbered *)entry)->number];
    return n->parent == c->parent && n->slot == c->slot;
}

static uint32_t hash_of(uint32_t parent, uint32_t slot) { return ch_hash_number((uint64_t)parent << 32 | slot); }

uint32_t ch_calls_known(const struct ch_calls *calls, uint32_t parent, uint32_t slot) {
    const struct child wanted = {nodes(calls), parent, slot};
    const struct ch_numbered *known = ch_table_find(&calls->numbers, hash_of(parent, slot), is_child, &wanted);
    return known ? known->number : 0;
}

uint32_t ch_calls_node(struct ch_calls *calls, uint32_t parent, uint32_t slot) {
    struct ch_tree *tree = ch_calls_tree(calls);
    uint32_t n = (uint32_t)tree->nodes, known = ch_calls_known(calls, parent, slot);
    if (known) return known;
    if (n >= calls->most || !ch_table_add(&calls->numbers, hash_of(parent, slot), &(struct ch_numbered){.number = n})) {
        tree->refused++;
        return parent;
    }
    nodes(calls)[n].parent = parent;
    nodes(calls)[n].slot = slot;
    ch_store_release(&tree->nodes, n + 1); /* a reader may look at any time */
    return n;
}

bool ch_calls_room_for(const struct ch_calls *calls, uint32_t n) {
    return ch_calls_tree(calls)->nodes + n <= calls->most - calls->most / SHORT_PATHS;
}

void ch_calls_interval(struct ch_calls *calls, uint64_t ns) {
    ch_calls_tree(calls)->intervals++;
    ch_calls_tree(calls)->intervals_ns += ns;
}

void ch_calls_add(struct ch_calls *calls, uint32_t node, uint64_t cpu_ns, uint64_t wall_ns) {
    struct ch_node *n = &nodes(calls)[node];
    float cpu = (float)cpu_ns / 1000, wall = (float)wall_ns / 1000;
    n->cpu_ns += cpu_ns;
    n->wall_ns += wall_ns;
    n->cpu_squares += cpu * cpu;
    n->wall_squares += wall * wall;
}
