/* The exact tree of calls: for each path of timed methods, how often it was taken and the time of its last method
 * itself.
 *
 * 1. A frame of the shadow stack has a node. A method entered above it is what the method's record remembers (where it
 *    was entered last), or the child that was entered there last, or is found in a hash table, or is new.
 * 2. Nobody but the thread writes to its tree, which belongs to its block, and so to the next thread that gets the
 *    block. All trees have their nodes in one region, which gives them out in chunks: the report adds up the trees by
 *    the methods' names. Where threads are told apart, the next thread has a root of its own.
 * 3. A stack that comes from another block (a virtual thread on another carrier, a thread that got a block while it was
 *    running) looks its frames up in the tree of the block where it is now. A call is counted where it began, its time
 *    where it ends: their path is the same.
 * 4. A call has its caller's node if there is no room, or below CH_EXACT_TREE_DEEPEST: roots and their neighbours count
 *    those.
 * 5. A reader may look at any time: a node is there once it has a depth.
 */
#include "exact_tree.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1 << 20, LEAST_NODES = 64 * CH_EXACT_TREE_CHUNK };
_Static_assert(sizeof(struct ch_exact_tree_head) <= CH_EXACT_TREE_CHUNK * sizeof(struct ch_exact_node),
               "the head lies in the first chunk");

static struct ch_region region;
static uint64_t most_nodes;

static struct ch_exact_tree_head *head(void) { return (struct ch_exact_tree_head *)region.base; }

static bool open_region(void) {
    static bool tried;
    ch_lock();
    if (!tried) {
        tried = true;
        size_t bytes = MOST_NODES * sizeof(struct ch_exact_node);
        if (ch_room.limit && bytes > ch_room.limit / 64) bytes = ch_room.limit / 64;
        if (bytes < LEAST_NODES * sizeof(struct ch_exact_node)) bytes = LEAST_NODES * sizeof(struct ch_exact_node);
        struct ch_region opened = {.base = NULL};
        if (ch_region_open(&opened, CH_EXACT_TREE, 0, bytes, 0)) {
            ((struct ch_exact_tree_head *)opened.base)->nodes = CH_EXACT_TREE_CHUNK;
            most_nodes = bytes / sizeof(struct ch_exact_node);
            region.bytes = opened.bytes;
            ch_store_release(&region.base, opened.base);
        } else {
            static const char text[] = "no call tree is recorded: no address space is left for it";
            ch_meta_add(CH_META_NOTE, 0, 0, text, sizeof text - 1);
        }
    }
    ch_unlock();
    return region.base;
}

static bool take_chunk(struct ch_exact_tree *c) {
    uint64_t n = ch_load_relaxed(&head()->nodes);
    do {
        if (n + CH_EXACT_TREE_CHUNK > most_nodes) return false;
    } while (!ch_try_replace_relaxed(&head()->nodes, &n, n + CH_EXACT_TREE_CHUNK));
    c->next = (uint32_t)n;
    c->end = c->next + CH_EXACT_TREE_CHUNK;
    return true;
}

static uint32_t add_node(struct ch_exact_tree *c, uint32_t parent, uint32_t slot, uint32_t depth) {
    struct ch_exact_node *node = &c->nodes[c->next];
    node->parent = parent;
    node->slot = slot;
    ch_store_release(&node->depth, (uint16_t)depth);
    return c->next++;
}

static bool wanted;

static bool threads_apart(void) { return ch_wanted.samplers.trees.threads; }

static void add_root(struct ch_exact_tree *c) {
    c->root = add_node(c, threads_apart() ? ch_self.number : 0, CH_ROOT, 1);
    c->deeper = add_node(c, c->root, CH_DEEPER, 2);
}

/* Adds a root for the thread that takes the block. Without room for it, its calls belong to the thread before it. */
void ch_exact_tree_taken(struct ch_block *b) {
    struct ch_exact_tree *c = b->exact_tree;
    if (!c || !threads_apart() || c->nodes[c->root].parent == ch_self.number) return;
    if (c->end - c->next >= 2 || take_chunk(c)) add_root(c);
}

static void look_at_class(const struct ch_woven_class *woven) {
    if (!wanted) wanted = ch_probe_table_has_probe(woven->table, woven->bytes, CH_PROBE_TIME_TREE);
}

/* The block's tree; NULL: there is no room for one, now or later, or all threads share the block. */
static struct ch_exact_tree *start(struct ch_block *b) {
    if (!wanted || b->treeless || ch_block_is_shared(b) || (!ch_load_acquire(&region.base) && !open_region()))
        return NULL;
    struct ch_exact_tree *c = calloc(1, sizeof *c);
    if (!c || !take_chunk(c)) {
        free(c);
        b->treeless = true; /* do not try again at each call */
        ch_add_relaxed(&head()->treeless, 1);
        return NULL;
    }
    c->nodes = (struct ch_exact_node *)region.base;
    add_root(c);
    return b->exact_tree = c;
}

void ch_context_refuse(void) {
    if (region.base) ch_add_relaxed(&head()->refused, 1);
}

struct child {
    const struct ch_exact_node *nodes;
    uint32_t parent, slot;
};

static bool is_child(const void *entry, const void *sought) {
    const struct child *c = sought;
    const struct ch_exact_node *n = &c->nodes[((const struct ch_numbered *)entry)->number];
    return n->parent == c->parent && n->slot == c->slot;
}

uint32_t ch_exact_tree_find(struct ch_exact_tree *c, uint32_t parent, uint32_t slot, bool is_call) {
    if (c->nodes[parent].depth > CH_EXACT_TREE_DEEPEST) {
        c->nodes[c->deeper].calls += is_call;
        return parent;
    }
    const struct child sought = {c->nodes, parent, slot};
    uint32_t hash = ch_hash_number((uint64_t)parent << 32 | slot);
    const struct ch_numbered *known = ch_table_find(&c->numbers, hash, is_child, &sought);
    if (known) return known->number;
    if ((c->next == c->end && !take_chunk(c)) ||
        !ch_table_add(&c->numbers, hash, &(struct ch_numbered){.number = c->next})) {
        c->nodes[c->root].calls += is_call;
        return parent;
    }
    return add_node(c, parent, slot, c->nodes[parent].depth + 1);
}

struct ch_exact_tree *ch_exact_tree_move(struct ch_block *b, struct ch_stack *s, uint32_t n) {
    struct ch_exact_tree *c = b->exact_tree ? b->exact_tree : start(b);
    for (uint32_t i = 1; i <= n; i++) {
        struct ch_frame *f = &s->frames[i];
        uint32_t parent = i > 1 ? f[-1].exact_node : c ? c->root : 0;
        f->exact_node = f->special & CH_IN_TREE && c ? ch_exact_tree_find(c, parent, f->id, false) : parent;
    }
    return s->exact_tree = c;
}

const struct ch_measure ch_measure_tree = {.name = "tree", .on_class = look_at_class};
