/* Trees of objects: what the tree of dominators says of sizes and classes, and the tree of shortest ways. */
#include <stdlib.h>

#include "lists.h"

int64_t ch_heap_retained(const struct ch_objects *all, const uint32_t *dominator, uint64_t *size, uint8_t *topmost) {
    uint64_t count = all->count;
    uint32_t *child = malloc((count + 1) * sizeof *child); /* the first; of the node before all roots: the last place */
    uint32_t *next = malloc((count + 1) * sizeof *next); /* with the same dominator */
    uint32_t *inside = calloc(all->classes + 1, sizeof *inside); /* objects of a class on the way down */
    int64_t status = -1;
    if (!child || !next || !inside) goto out;
    for (uint64_t i = 0; i <= count; i++) child[i] = CH_NOBODY;
    for (uint64_t i = count; i-- > 0;) {
        topmost[i] = 0;
        if (dominator[i] == CH_NOBODY) continue;
        uint64_t above = dominator[i] == CH_TOP ? count : dominator[i];
        next[i] = child[above];
        child[above] = (uint32_t)i;
    }
    for (uint32_t v = child[count]; v != CH_NOBODY;) {
        topmost[v] = inside[kind_of(all, v)]++ == 0;
        if (child[v] != CH_NOBODY) {
            v = child[v];
            continue;
        }
        for (;;) { /* up to the next one that is not done */
            inside[kind_of(all, v)]--;
            if (dominator[v] != CH_TOP) size[dominator[v]] += size[v];
            if (next[v] != CH_NOBODY || dominator[v] == CH_TOP) break;
            v = dominator[v];
        }
        v = next[v];
    }
    status = 0;
out:
    free(child), free(next), free(inside);
    return status;
}

int64_t ch_heap_shortest(const struct ch_graph *graph, uint32_t without, uint32_t *parent) {
    uint64_t count = graph->objects->count, first = 0, last = 0;
    uint32_t *queue = malloc((count + 1) * sizeof *queue);
    if (!queue) return -1;
    for (uint64_t i = 0; i < count; i++) parent[i] = CH_NOBODY;
    for (uint64_t r = 0; r < graph->root_count; r++)
        if (parent[graph->roots[r]] == CH_NOBODY) {
            parent[graph->roots[r]] = graph->roots[r];
            queue[last++] = graph->roots[r];
        }
    while (first < last) {
        uint32_t v = queue[first++], target = class_object(graph->objects, v);
        if (v == without) continue;
        struct list list = list_of(graph, v);
        if (target == CH_NOBODY) target = list_next(&list);
        for (; target != CH_NOBODY; target = list_next(&list))
            if (parent[target] == CH_NOBODY) {
                parent[target] = v;
                queue[last++] = target;
            }
    }
    free(queue);
    return 0;
}
