/* Dominators, by the simple version of Lengauer and Tarjan (1979), which takes O(m log n) on any graph.
 *
 * 1. Objects in reach of the roots are numbered in depth-first order; number 0 is a node before all roots.
 * 2. In reverse order, each one's semidominator is found over its predecessors; paths in the forest of those done are
 *    compressed.
 * 3. In order, dominators follow from semidominators.
 * Nothing recurses: a linked list may be as long as the heap.
 */
#include <stdlib.h>

#include "heap.h"

struct nodes {
    uint32_t *number;   /* of an object; 0: out of reach */
    uint32_t *object;   /* by number */
    uint32_t *parent;   /* in the depth-first tree */
    uint32_t *semi;
    uint32_t *idom;
    uint32_t *ancestor; /* in the forest; 0: none */
    uint32_t *label;
    uint32_t *bucket;   /* the first of those that this one semidominates, then `next` */
    uint32_t *next;
    uint32_t *path;     /* scratch: of eval, of the search */
    uint64_t *place;    /* scratch of the search, then where predecessors begin */
    uint32_t *from;     /* predecessors */
};

/* Numbers what is in reach; returns how many. */
static uint32_t search(const struct ch_graph *graph, struct nodes *n) {
    uint32_t count = 0;
    for (uint64_t r = 0; r < graph->root_count; r++) {
        uint32_t root = graph->roots[r], depth = 0;
        if (n->number[root] != 0) continue;
        n->number[root] = ++count;
        n->object[count] = root;
        n->parent[count] = 0;
        n->place[count] = graph->starts[root];
        n->path[depth++] = count;
        while (depth > 0) {
            uint32_t top = n->path[depth - 1];
            if (n->place[top] == graph->starts[n->object[top] + 1]) {
                depth--;
                continue;
            }
            uint32_t target = graph->targets[n->place[top]++];
            if (n->number[target] != 0) continue;
            n->number[target] = ++count;
            n->object[count] = target;
            n->parent[count] = top;
            n->place[count] = graph->starts[target];
            n->path[depth++] = count;
        }
    }
    return count;
}

/* Fills `from` and `place` with predecessors by number, those of w from place[w] to place[w + 1]. */
static void turn_round(const struct ch_graph *graph, struct nodes *n, uint32_t count) {
    for (uint64_t w = 0; w <= (uint64_t)count + 1; w++) n->place[w] = 0;
    for (uint64_t r = 0; r < graph->root_count; r++) n->place[n->number[graph->roots[r]]]++;
    for (uint32_t v = 1; v <= count; v++)
        for (uint64_t k = graph->starts[n->object[v]]; k < graph->starts[n->object[v] + 1]; k++)
            n->place[n->number[graph->targets[k]]]++;
    uint64_t sum = 0;
    for (uint64_t w = 0; w <= (uint64_t)count + 1; w++) { /* now the ends, which filling from behind makes starts */
        sum += n->place[w];
        n->place[w] = sum;
    }
    for (uint64_t r = 0; r < graph->root_count; r++) n->from[--n->place[n->number[graph->roots[r]]]] = 0;
    for (uint32_t v = 1; v <= count; v++)
        for (uint64_t k = graph->starts[n->object[v]]; k < graph->starts[n->object[v] + 1]; k++)
            n->from[--n->place[n->number[graph->targets[k]]]] = v;
}

/* The one of least semidominator on the way up from v to the root of its tree, without that root. */
static uint32_t eval(struct nodes *n, uint32_t v) {
    if (n->ancestor[v] == CH_NOBODY) return v;
    uint32_t depth = 0, w = v;
    while (n->ancestor[n->ancestor[w]] != CH_NOBODY) {
        n->path[depth++] = w;
        w = n->ancestor[w];
    }
    while (depth > 0) {
        w = n->path[--depth];
        uint32_t above = n->ancestor[w];
        if (n->semi[n->label[above]] < n->semi[n->label[w]]) n->label[w] = n->label[above];
        n->ancestor[w] = n->ancestor[above];
    }
    return n->label[v];
}

static void solve(struct nodes *n, uint32_t count) {
    for (uint32_t v = 0; v <= count; v++) {
        n->semi[v] = n->label[v] = v;
        n->ancestor[v] = n->bucket[v] = CH_NOBODY;
    }
    for (uint32_t w = count; w > 0; w--) {
        for (uint64_t k = n->place[w]; k < n->place[w + 1]; k++) {
            uint32_t best = eval(n, n->from[k]);
            if (n->semi[best] < n->semi[w]) n->semi[w] = n->semi[best];
        }
        n->next[w] = n->bucket[n->semi[w]];
        n->bucket[n->semi[w]] = w;
        uint32_t parent = n->parent[w];
        n->ancestor[w] = parent;
        for (uint32_t v = n->bucket[parent]; v != CH_NOBODY; v = n->next[v]) {
            uint32_t best = eval(n, v);
            n->idom[v] = n->semi[best] < n->semi[v] ? best : parent;
        }
        n->bucket[parent] = CH_NOBODY;
    }
    for (uint32_t w = 1; w <= count; w++)
        if (n->idom[w] != n->semi[w]) n->idom[w] = n->idom[n->idom[w]];
}

int64_t ch_heap_dominators(const struct ch_graph *graph, uint32_t *dominator, uint32_t *order) {
    size_t room = graph->count + 2;
    struct nodes n = {
        .number = calloc(room, sizeof *n.number),
        .object = malloc(room * sizeof *n.object),
        .parent = malloc(room * sizeof *n.parent),
        .path = malloc(room * sizeof *n.path),
        .place = malloc(room * sizeof *n.place),
    };
    int64_t reached = -1;
    uint32_t count;
    if (!n.number || !n.object || !n.parent || !n.path || !n.place) goto out;
    count = search(graph, &n);
    n.from = malloc((graph->starts[graph->count] + graph->root_count + 1) * sizeof *n.from);
    n.semi = malloc(room * sizeof *n.semi);
    n.idom = calloc(room, sizeof *n.idom);
    n.ancestor = malloc(room * sizeof *n.ancestor);
    n.label = malloc(room * sizeof *n.label);
    n.bucket = malloc(room * sizeof *n.bucket);
    n.next = malloc(room * sizeof *n.next);
    if (!n.from || !n.semi || !n.idom || !n.ancestor || !n.label || !n.bucket || !n.next) goto out;
    turn_round(graph, &n, count);
    solve(&n, count);
    for (uint64_t i = 0; i < graph->count; i++) dominator[i] = CH_NOBODY;
    for (uint32_t w = 1; w <= count; w++) {
        order[w - 1] = n.object[w];
        if (n.idom[w] != 0) dominator[n.object[w]] = n.object[n.idom[w]];
    }
    reached = count;
out:
    free(n.number), free(n.object), free(n.parent), free(n.path), free(n.place), free(n.from);
    free(n.semi), free(n.idom), free(n.ancestor), free(n.label), free(n.bucket), free(n.next);
    return reached;
}

void ch_heap_retained(uint64_t reached, const uint32_t *order, const uint32_t *dominator, uint64_t *size) {
    for (uint64_t i = reached; i-- > 0;)
        if (dominator[order[i]] != CH_NOBODY) size[dominator[order[i]]] += size[order[i]];
}

int64_t ch_heap_topmost(uint64_t count, uint64_t reached, const uint32_t *order, const uint32_t *dominator,
                        const uint32_t *cls, uint64_t classes, uint8_t *topmost) {
    uint32_t *child = malloc((count + 1) * sizeof *child); /* the first; of the node before all roots: the last place */
    uint32_t *next = malloc((count + 1) * sizeof *next); /* with the same dominator */
    uint32_t *inside = calloc(classes + 1, sizeof *inside); /* objects of a class on the way down */
    int64_t status = -1;
    if (child && next && inside) {
        for (uint64_t i = 0; i <= count; i++) child[i] = CH_NOBODY;
        for (uint64_t i = reached; i-- > 0;) {
            uint64_t above = dominator[order[i]] == CH_NOBODY ? count : dominator[order[i]];
            next[order[i]] = child[above];
            child[above] = order[i];
        }
        uint32_t v = child[count];
        while (v != CH_NOBODY) {
            topmost[v] = inside[cls[v]]++ == 0;
            if (child[v] != CH_NOBODY) {
                v = child[v];
                continue;
            }
            for (;;) { /* up to the next one that is not done */
                inside[cls[v]]--;
                if (next[v] != CH_NOBODY) {
                    v = next[v];
                    break;
                }
                v = dominator[v];
                if (v == CH_NOBODY) break;
            }
        }
        status = 0;
    }
    free(child), free(next), free(inside);
    return status;
}

int64_t ch_heap_shortest(const struct ch_graph *graph, uint32_t *parent) {
    uint32_t *queue = malloc((graph->count + 1) * sizeof *queue);
    if (!queue) return -1;
    uint64_t first = 0, last = 0;
    for (uint64_t i = 0; i < graph->count; i++) parent[i] = CH_NOBODY;
    for (uint64_t r = 0; r < graph->root_count; r++)
        if (parent[graph->roots[r]] == CH_NOBODY) {
            parent[graph->roots[r]] = graph->roots[r];
            queue[last++] = graph->roots[r];
        }
    while (first < last) {
        uint32_t v = queue[first++];
        for (uint64_t k = graph->starts[v]; k < graph->starts[v + 1]; k++)
            if (parent[graph->targets[k]] == CH_NOBODY) {
                parent[graph->targets[k]] = v;
                queue[last++] = graph->targets[k];
            }
    }
    free(queue);
    return 0;
}
