/* The exact tree of calls: for each path of timed methods, how often it was taken and the time of its last method itself.
 *
 * 1. A frame of the shadow stack has a node. A method entered above it is what the method's record remembers (where it was entered last),
 *    or the child that was entered there last, or is found in a hash table, or is new.
 * 2. Nobody but the thread writes to its tree, which belongs to its block, and so to the next thread that gets the block. All trees have
 *    their nodes in one region, which gives them out in chunks: the report adds up the trees by the methods' names.
 * 3. A stack that comes from another block (a virtual thread on another carrier, a thread that got a block while it was running) looks its
 *    frames up in the tree of the block where it is now. A call is counted where it began, its time where it ends: their path is the same.
 * 4. A call has its caller's node if there is no room, or below CH_CONTEXTS_DEEPEST: roots and their neighbours count those.
 * 5. A reader may look at any time: a node is there once it has a depth.
 */
#include "contexts.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1 << 20, FIRST_ROOM = 256, LEAST_NODES = 64 * CH_CONTEXTS_CHUNK };
_Static_assert(sizeof(struct ch_context_head) <= CH_CONTEXTS_CHUNK * sizeof(struct ch_context), "the head lies in the first chunk");

static struct ch_region region;
static uint64_t most_nodes;

static struct ch_context_head *head(void) { return (struct ch_context_head *)region.base; }

static bool open_region(void) {
    static bool tried;
    ch_lock();
    if (!tried) {
        tried = true;
        size_t bytes = MOST_NODES * sizeof(struct ch_context);
        if (ch_room.limit && bytes > ch_room.limit / 64) bytes = ch_room.limit / 64;
        if (bytes < LEAST_NODES * sizeof(struct ch_context)) bytes = LEAST_NODES * sizeof(struct ch_context);
        struct ch_region opened = {NULL, 0};
        if (ch_region_open(&opened, CH_CONTEXTS, 0, bytes, 0)) {
            ((struct ch_context_head *)opened.base)->nodes = CH_CONTEXTS_CHUNK;
            most_nodes = bytes / sizeof(struct ch_context);
            region.bytes = opened.bytes;
            __atomic_store_n(&region.base, opened.base, __ATOMIC_RELEASE);
        } else {
            static const char text[] = "there is no tree of calls: no address space is left for it";
            ch_meta_add(CH_META_NOTE, 0, 0, text, sizeof text - 1);
        }
    }
    ch_unlock();
    return region.base;
}

static bool take_chunk(struct ch_contexts *c) {
    uint64_t n = __atomic_load_n(&head()->nodes, __ATOMIC_RELAXED);
    do {
        if (n + CH_CONTEXTS_CHUNK > most_nodes) return false;
    } while (!__atomic_compare_exchange_n(&head()->nodes, &n, n + CH_CONTEXTS_CHUNK, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    c->next = (uint32_t)n;
    c->end = c->next + CH_CONTEXTS_CHUNK;
    return true;
}

static uint32_t add_node(struct ch_contexts *c, uint32_t parent, uint32_t slot, uint32_t depth) {
    struct ch_context *node = &c->nodes[c->next];
    node->parent = parent;
    node->slot = slot;
    __atomic_store_n(&node->depth, (uint16_t)depth, __ATOMIC_RELEASE);
    return c->next++;
}

static bool wanted;

void ch_contexts_class(const char *table, size_t bytes) {
    if (memmem(table, bytes, "\te\t", 3)) wanted = true; /* a line of a method in the tree; or a method called e, which is no harm */
}

/* The block's tree; NULL: there is no room for one, now or later, or all threads share the block. */
static struct ch_contexts *start(struct ch_block *b) {
    if (!wanted || b->treeless || ch_block_is_shared(b) || (!__atomic_load_n(&region.base, __ATOMIC_ACQUIRE) && !open_region())) return NULL;
    struct ch_contexts *c = calloc(1, sizeof *c);
    if (c) c->places = calloc(FIRST_ROOM, sizeof *c->places);
    if (!c || !c->places || !take_chunk(c)) {
        if (c) free(c->places);
        free(c);
        b->treeless = true; /* do not try again at each call */
        __atomic_fetch_add(&head()->treeless, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    c->nodes = (struct ch_context *)region.base;
    c->room = FIRST_ROOM;
    c->root = add_node(c, 0, CH_ROOT, 1);
    c->deeper = add_node(c, c->root, CH_DEEPER, 2);
    return b->contexts = c;
}

void ch_context_refuse(void) {
    if (region.base) __atomic_fetch_add(&head()->refused, 1, __ATOMIC_RELAXED);
}

static uint32_t *place_of(const struct ch_contexts *c, uint32_t parent, uint32_t slot) {
    uint32_t at = (uint32_t)((((uint64_t)parent << 32 | slot) * 0x9E3779B97F4A7C15u) >> 32) & (c->room - 1);
    for (uint32_t n; (n = c->places[at]) && (c->nodes[n].parent != parent || c->nodes[n].slot != slot);) at = (at + 1) & (c->room - 1);
    return &c->places[at];
}

static bool grow(struct ch_contexts *c) {
    uint32_t *old = c->places, n = c->room, *fresh = calloc((size_t)n * 2, sizeof *fresh);
    if (!fresh) return false;
    c->places = fresh;
    c->room = n * 2;
    for (uint32_t i = 0; i < n; i++)
        if (old[i]) *place_of(c, c->nodes[old[i]].parent, c->nodes[old[i]].slot) = old[i];
    free(old);
    return true;
}

uint32_t ch_context_find(struct ch_contexts *c, uint32_t parent, uint32_t slot, bool is_call) {
    if (c->nodes[parent].depth > CH_CONTEXTS_DEEPEST) {
        c->nodes[c->deeper].calls += is_call;
        return parent;
    }
    uint32_t *place = place_of(c, parent, slot);
    if (*place) return *place;
    bool there_is_room = c->used * 2 < c->room || grow(c);
    if (!there_is_room || (c->next == c->end && !take_chunk(c))) {
        c->nodes[c->root].calls += is_call;
        return parent;
    }
    c->used++;
    return *place_of(c, parent, slot) = add_node(c, parent, slot, c->nodes[parent].depth + 1);
}

struct ch_contexts *ch_contexts_move(struct ch_block *b, struct ch_stack *s, uint32_t n) {
    struct ch_contexts *c = b->contexts ? b->contexts : start(b);
    for (uint32_t i = 1; i <= n; i++) {
        struct ch_frame *f = &s->frames[i];
        uint32_t parent = i > 1 ? f[-1].context : c ? c->root : 0;
        f->context = f->special & CH_IN_TREE && c ? ch_context_find(c, parent, f->id, false) : parent;
    }
    return s->contexts = c;
}
