/* Dominators, by the simple version of Lengauer and Tarjan (1979), which takes O(m log n) on any graph.
 *
 * 1. Objects in reach of the roots are numbered in depth-first order; number 0 is a node before all roots.
 * 2. In reverse order, each one's semidominator is found over its predecessors; paths in the forest of those done are
 *    halved. Of predecessors with a lower number, only the lowest counts, which the search finds; the others are
 *    listed. Those of a root are not needed: its semidominator is number 0.
 * 3. In order, dominators follow from semidominators.
 * Nothing recurses: a linked list may be as long as the heap. 20 bytes of memory for each object and 4 for each
 * predecessor that is listed: `number` and `label`, and `ends` and `idom`, are the same arrays.
 */
#include <stdlib.h>
#include <string.h>

#include "lists.h"

enum { NO_MEMORY = -1, TOO_MANY = -2 };

/* By number, except for the first two. */
struct nodes {
    uint32_t *number;   /* of an object; 0: out of reach */
    uint64_t *root;     /* a bit for each object */
    uint32_t *object;
    uint32_t *ancestor; /* of those in the forest; of others, the parent in the depth-first tree */
    uint32_t *semi;     /* during the search, of those on the way down: how many bytes of the list have been read */
    uint32_t *ends;     /* how many predecessors are listed; then, where they end */
    uint64_t listed;    /* the sum of these */
    uint32_t *from;     /* predecessors, those of the highest number first */
    uint32_t *label;    /* of those in the forest; of others, the first of those that this one semidominates */
    uint32_t *idom;     /* of those semidominated by the same one: the next of them */
};

static inline int is_root(const struct nodes *n, uint32_t object) { return n->root[object / 64] >> object % 64 & 1; }

static struct list enter(const struct ch_graph *graph, struct nodes *n, uint32_t object, uint32_t v, uint32_t parent) {
    n->number[object] = v;
    n->object[v] = object;
    n->ancestor[v] = parent;
    return list_of(graph, object);
}

/* Goes on with the list of v, after what was found below the object `done`. */
static struct list go_on(const struct ch_graph *graph, const struct nodes *n, uint32_t v, uint32_t done) {
    struct list list = list_of(graph, n->object[v]);
    if (n->semi[v] > 0) list.before = done; /* else `done` is the class, which no list has */
    list.at += n->semi[v];
    return list;
}

/* Numbers what a root leads to, in `*count`. Returns 0, or TOO_MANY. */
static int search_from(const struct ch_graph *graph, struct nodes *n, uint32_t root, uint32_t *count) {
    uint32_t v = ++*count, target = class_object(graph->objects, root);
    struct list list = enter(graph, n, root, v, 0);
    const uint8_t *start = list.at;
    if (target == CH_NOBODY) target = list_next(&list);
    for (;; target = list_next(&list)) {
        if (target == CH_NOBODY) {
            n->semi[v] = is_root(n, list.own) ? 0 : n->ancestor[v];
            v = n->ancestor[v];
            if (v == 0) return 0;
            list = go_on(graph, n, v, list.own);
            start = list.at - n->semi[v];
            continue;
        }
        for (; n->number[target] == 0; target = class_object(graph->objects, target)) {
            if (list.at - start > UINT32_MAX) return TOO_MANY;
            n->semi[v] = (uint32_t)(list.at - start);
            list = enter(graph, n, target, ++*count, v);
            start = list.at;
            v = *count;
            if (class_object(graph->objects, target) == CH_NOBODY) break;
        }
        uint32_t w = n->number[target];
        if (w == v || is_root(n, target)) continue;
        if (w < v) {
            if (++n->listed > UINT32_MAX) return TOO_MANY;
            n->ends[w]++;
        } else if (v < n->semi[w])
            n->semi[w] = v;
    }
}

static int search(const struct ch_graph *graph, struct nodes *n, uint32_t *count) {
    for (uint64_t r = 0; r < graph->root_count; r++)
        n->root[graph->roots[r] / 64] |= UINT64_C(1) << graph->roots[r] % 64;
    *count = 0;
    for (uint64_t r = 0; r < graph->root_count; r++)
        if (n->number[graph->roots[r]] == 0 && search_from(graph, n, graph->roots[r], count) != 0) return TOO_MANY;
    return 0;
}

static inline void put_predecessor(struct nodes *n, uint32_t v, uint32_t target) {
    uint32_t w = n->number[target];
    if (w < v && !is_root(n, target)) n->from[n->ends[w]++] = v;
}

/* Lists predecessors with a higher number. Returns 0 or NO_MEMORY. */
static int turn_round(const struct ch_graph *graph, struct nodes *n, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t w = count; w > 0; w--) { /* now where they start, which filling makes the end */
        uint32_t here = n->ends[w];
        n->ends[w] = sum;
        sum += here;
    }
    n->from = malloc(((size_t)sum + 1) * sizeof *n->from);
    if (!n->from) return NO_MEMORY;
    const uint8_t *at = graph->lists->bytes, *end = at + graph->lists->used;
    for (uint32_t i = 0; i < graph->objects->count; i++) {
        uint32_t v = n->number[i], target = class_object(graph->objects, i);
        if (v == 0) {
            at = (const uint8_t *)memchr(at, 0, (size_t)(end - at)) + 1;
            continue;
        }
        struct list list = {at, i, i};
        if (target != CH_NOBODY) put_predecessor(n, v, target);
        while ((target = list_next(&list)) != CH_NOBODY) put_predecessor(n, v, target);
        at = list.at + 1;
    }
    return 0;
}

static inline uint32_t less(const struct nodes *n, uint32_t one, uint32_t other) {
    return n->semi[other] < n->semi[one] ? other : one;
}

/* The one of least semidominator on the way up from v to the root of its tree, without that root. Those from number
 * `linked` on, v among them, have a parent in the forest. */
static uint32_t eval(struct nodes *n, uint32_t v, uint32_t linked) {
    uint32_t best = n->label[v], above;
    while ((above = n->ancestor[v]) >= linked) {
        n->label[v] = less(n, n->label[v], n->label[above]);
        best = less(n, best, n->label[v]);
        n->ancestor[v] = n->ancestor[above];
        v = n->ancestor[v];
        if (v < linked) break;
        best = less(n, best, n->label[v]);
    }
    return best;
}

static void solve(struct nodes *n, uint32_t count) {
    for (uint32_t v = 0; v <= count; v++) n->label[v] = CH_NOBODY;
    uint32_t k = 0;
    for (uint32_t w = count; w > 0; w--) {
        uint32_t semi = n->semi[w], parent = n->ancestor[w];
        for (; k < n->ends[w]; k++) {
            uint32_t other = n->semi[eval(n, n->from[k], w + 1)];
            if (other < semi) semi = other;
        }
        n->semi[w] = semi;
        n->label[w] = w;
        if (semi == 0 || semi == parent) {
            n->idom[w] = semi;
        } else {
            n->idom[w] = n->label[semi];
            n->label[semi] = w;
        }
        if (parent == 0) continue;
        for (uint32_t v = n->label[parent], next; v != CH_NOBODY; v = next) {
            next = n->idom[v];
            uint32_t best = eval(n, v, w);
            n->idom[v] = n->semi[best] < n->semi[v] ? best : parent;
        }
        n->label[parent] = CH_NOBODY;
    }
    for (uint32_t w = 1; w <= count; w++)
        if (n->idom[w] != n->semi[w]) n->idom[w] = n->idom[n->idom[w]];
}

int64_t ch_heap_dominators(const struct ch_graph *graph, uint32_t *dominator) {
    uint64_t objects = graph->objects->count;
    struct nodes n = {
        .number = dominator,
        .root = calloc(objects / 64 + 1, sizeof *n.root),
        .object = malloc((objects + 1) * sizeof *n.object),
        .ancestor = malloc((objects + 1) * sizeof *n.ancestor),
        .semi = malloc((objects + 1) * sizeof *n.semi),
        .ends = calloc(objects + 1, sizeof *n.ends),
    };
    int64_t status = NO_MEMORY;
    uint32_t count = 0;
    for (uint64_t i = 0; i < objects; i++) n.number[i] = 0;
    if (!n.root || !n.object || !n.ancestor || !n.semi || !n.ends) goto out;
    if ((status = search(graph, &n, &count)) != 0) goto out;
    if ((status = turn_round(graph, &n, count)) != 0) goto out;
    n.label = n.number;
    n.idom = n.ends;
    solve(&n, count);
    for (uint64_t i = 0; i < objects; i++) dominator[i] = CH_NOBODY;
    for (uint32_t w = 1; w <= count; w++) dominator[n.object[w]] = n.idom[w] == 0 ? CH_TOP : n.object[n.idom[w]];
    status = count;
out:
    free(n.root), free(n.object), free(n.ancestor), free(n.semi), free(n.ends), free(n.from);
    return status;
}
