/* Ways over the same classes. The shortest ways form a tree of objects; those to the objects that are asked for are walked
 * depth-first, and each step to a class that the way has not been at yet is a step in a tree of keys. */
#include <stdlib.h>

#include "lists.h"

/* The tree of keys: key 0 is before all roots. `slot`: from a key and a class to the next key, by open addressing. */
struct keys {
    uint32_t *above, *kind, *slot;
    uint64_t slots; /* a power of two, more than twice as many as there are keys */
    uint32_t count;
};

static uint64_t place_of(const struct keys *keys, uint32_t above, uint32_t kind) {
    uint64_t at = (((uint64_t)above << 32 | kind) * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (keys->slots - 1);
    for (; keys->slot[at] != 0; at = (at + 1) & (keys->slots - 1))
        if (keys->above[keys->slot[at]] == above && keys->kind[keys->slot[at]] == kind) break;
    return at;
}

static int grow(struct keys *keys) {
    uint64_t slots = keys->slots ? keys->slots * 2 : 1024;
    uint32_t *above = realloc(keys->above, slots / 2 * sizeof *above);
    if (above) keys->above = above;
    uint32_t *kind = realloc(keys->kind, slots / 2 * sizeof *kind);
    if (kind) keys->kind = kind;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!above || !kind || !slot) {
        free(slot);
        return -1;
    }
    free(keys->slot);
    keys->slot = slot;
    keys->slots = slots;
    for (uint32_t key = 1; key < keys->count; key++)
        keys->slot[place_of(keys, keys->above[key], keys->kind[key])] = key;
    return 0;
}

/* The key after `above`; 0 if there is no memory. */
static uint32_t step(struct keys *keys, uint32_t above, uint32_t kind) {
    if (keys->count >= keys->slots / 2 && grow(keys) != 0) return 0;
    uint64_t at = place_of(keys, above, kind);
    if (keys->slot[at] == 0) {
        keys->above[keys->count] = above;
        keys->kind[keys->count] = kind;
        keys->slot[at] = keys->count++;
    }
    return keys->slot[at];
}

/* Keys of the objects that `first` and their `next` ones are, and of those below them: `child` has the first one below
 * each, and then the key. Returns 0, or -1. */
static int walk(const struct ch_objects *all, const uint32_t *parent, uint32_t first, uint32_t *child,
                const uint32_t *next, uint32_t *inside, struct keys *keys) {
    for (uint32_t v = first; v != CH_NOBODY;) {
        uint32_t before = parent[v] == v ? 0 : child[parent[v]], below = child[v];
        uint64_t kind = kind_of(all, v);
        child[v] = inside[kind]++ ? before : step(keys, before, (uint32_t)kind);
        if (child[v] == 0) return -1;
        if (below != CH_NOBODY) {
            v = below;
            continue;
        }
        for (;;) { /* up to the next one that is not done */
            inside[kind_of(all, v)]--;
            if (next[v] != CH_NOBODY || parent[v] == v) break;
            v = parent[v];
        }
        v = next[v];
    }
    return 0;
}

/* Counts the objects with each key. Returns 0, or -1. */
static int count_ways(const uint32_t *key, uint32_t keys, const uint32_t *numbers, uint64_t many,
                      struct ch_ways *ways) {
    uint32_t *way = malloc(keys * sizeof *way); /* of a key */
    ways->first = malloc(keys * sizeof *ways->first);
    ways->count = calloc(keys, sizeof *ways->count);
    int status = way && ways->first && ways->count ? 0 : -1;
    for (uint32_t k = 0; status == 0 && k < keys; k++) way[k] = CH_NOBODY;
    for (uint64_t i = 0; status == 0 && i < many; i++) {
        uint32_t *found = &way[key[numbers[i]]];
        if (*found == CH_NOBODY) {
            *found = (uint32_t)ways->ways++;
            ways->first[*found] = (uint32_t)i;
        }
        ways->count[*found]++;
    }
    free(way);
    return status;
}

int64_t ch_heap_ways(const struct ch_objects *all, const uint32_t *parent, const uint32_t *numbers, uint64_t many,
                     struct ch_ways *ways) {
    uint32_t *child = malloc((all->count + 1) * sizeof *child);
    uint32_t *next = malloc((all->count + 1) * sizeof *next); /* CH_TOP: not in the tree */
    uint32_t *inside = calloc(all->classes + 1, sizeof *inside); /* objects of a class on the way down */
    uint32_t first = CH_NOBODY;
    struct keys keys = {.count = 1};
    int64_t status = -1;
    if (!child || !next || !inside) goto out;
    for (uint64_t i = 0; i < all->count; i++) {
        child[i] = CH_NOBODY;
        next[i] = CH_TOP;
    }
    for (uint64_t i = 0; i < many; i++)
        for (uint32_t v = numbers[i]; next[v] == CH_TOP; v = parent[v]) {
            uint32_t *above = parent[v] == v ? &first : &child[parent[v]];
            next[v] = *above;
            *above = v;
        }
    if (walk(all, parent, first, child, next, inside, &keys) != 0) goto out;
    status = count_ways(child, keys.count, numbers, many, ways);
out:
    free(child), free(next), free(inside);
    free(keys.above), free(keys.kind), free(keys.slot);
    return status;
}

void ch_heap_free_ways(struct ch_ways *ways) {
    free(ways->first), free(ways->count);
    *ways = (struct ch_ways){0};
}
