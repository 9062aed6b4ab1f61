/* The tree of calls, in the data file. Only the sampler's thread writes it; where its nodes are is known in memory. */
#include "counting.h"
#include <stdlib.h>

enum { MOST_NODES = 1 << 19, FIRST_ROOM = 4096 };

static struct ch_region region;
static uint32_t *places; /* node + 1 by parent and slot, open addressing; 0: free */
static uint32_t room, most;

struct ch_tree *ch_tree(void) { return (struct ch_tree *)region.base; }

static struct ch_node *nodes(void) { return (struct ch_node *)(region.base + sizeof(struct ch_tree)); }

bool ch_tree_start(void) {
    size_t bytes = sizeof(struct ch_tree) + MOST_NODES * sizeof(struct ch_node);
    if (ch_room.limit && bytes > ch_room.limit / 64) bytes = ch_room.limit / 64;
    places = calloc(FIRST_ROOM, sizeof *places);
    if (!places || !ch_region_open(&region, CH_TREE, 0, bytes, 0)) return false;
    room = FIRST_ROOM;
    most = (uint32_t)((bytes - sizeof(struct ch_tree)) / sizeof(struct ch_node));
    nodes()[0].slot = UINT32_MAX;
    ch_tree()->nodes = 1;
    return true;
}

static uint32_t *place_of(uint32_t parent, uint32_t slot) {
    uint64_t hash = ((uint64_t)parent << 32 | slot) * 0x9E3779B97F4A7C15u;
    uint32_t at = (uint32_t)(hash >> 32) & (room - 1);
    while (places[at] && (nodes()[places[at] - 1].parent != parent || nodes()[places[at] - 1].slot != slot)) at = (at + 1) & (room - 1);
    return &places[at];
}

static void grow(void) {
    uint32_t *fresh = calloc((size_t)room * 2, sizeof *fresh);
    if (!fresh) return;
    free(places);
    places = fresh;
    room *= 2;
    for (uint32_t i = 1; i < ch_tree()->nodes; i++) *place_of(nodes()[i].parent, nodes()[i].slot) = i + 1;
}

uint32_t ch_tree_node(uint32_t parent, uint32_t slot) {
    struct ch_tree *tree = ch_tree();
    if (tree->nodes * 2 >= room) grow();
    uint32_t *place = place_of(parent, slot);
    if (*place) return *place - 1;
    if (tree->nodes >= most || tree->nodes >= room - 1) {
        tree->refused++;
        return parent;
    }
    uint32_t n = (uint32_t)tree->nodes;
    nodes()[n].parent = parent;
    nodes()[n].slot = slot;
    *place = n + 1;
    __atomic_store_n(&tree->nodes, n + 1, __ATOMIC_RELEASE); /* a reader may look at any time */
    return n;
}

uint64_t ch_tree_times(struct ch_path_times **of_slots) {
    uint32_t n = ch_tree() ? (uint32_t)ch_tree()->nodes : 0;
    uint64_t *below = n ? malloc(n * sizeof *below) : NULL, cpu = 0;
    struct ch_path_times *found = below ? calloc(ch_header->slots_used + 1, sizeof *found) : NULL;
    for (uint32_t i = 0; found && i < n; i++) below[i] = nodes()[i].wall_ns;
    for (uint32_t i = n; found && --i > 0;) {
        uint32_t slot = nodes()[i].slot, up = nodes()[i].parent;
        below[up] += below[i];
        cpu += nodes()[i].cpu_ns;
        if (slot >= ch_header->slots_used) continue;
        found[slot].cpu_self_ns += nodes()[i].cpu_ns;
        found[slot].cpu_squares += nodes()[i].cpu_squares;
        while (up && nodes()[up].slot != slot) up = nodes()[up].parent;
        if (!up) found[slot].wall_ns += below[i];
    }
    free(below);
    *of_slots = found;
    return cpu;
}

void ch_tree_add(uint32_t node, uint64_t cpu_ns, uint64_t wall_ns) {
    struct ch_node *n = &nodes()[node];
    float cpu = (float)cpu_ns / 1000, wall = (float)wall_ns / 1000;
    n->cpu_ns += cpu_ns;
    n->wall_ns += wall_ns;
    n->cpu_squares += cpu * cpu;
    n->wall_squares += wall * wall;
}
