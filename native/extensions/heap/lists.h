/* The references of objects as lists of bytes; heap.h says how. */
#ifndef CH_HEAP_LISTS_H
#define CH_HEAP_LISTS_H

#include <stdlib.h>

#include "rising.h"

static inline uint32_t class_of(const struct ch_objects *all, uint64_t i) {
    return all->cls ? all->cls[i] : all->wide_cls[i];
}

/* The number of an object's class; that of java.lang.Class is the number of all classes. */
static inline uint64_t kind_of(const struct ch_objects *all, uint32_t object) {
    return all->tag[object] == CH_CLASS_DUMP ? all->classes : class_of(all, object);
}

/* The class to which an object refers before all others, CH_NOBODY for none. */
static inline uint32_t class_object(const struct ch_objects *all, uint64_t i) {
    return all->tag[i] == CH_CLASS_DUMP ? CH_NOBODY : all->objects[class_of(all, i)];
}

/* A position in a list. `before`: the object that was read last, at first the list's own one. */
struct list {
    const uint8_t *at;
    uint32_t own, before;
};

static inline struct list list_of(const struct ch_graph *graph, uint32_t object) {
    return (struct list){graph->lists->bytes + rising_at(graph->starts, object), object, object};
}

/* The next object, CH_NOBODY at the end. */
static inline uint32_t list_next(struct list *list) {
    uint64_t code = *list->at;
    if (code == 0) return CH_NOBODY;
    list->at++;
    if (code > 127) {
        code &= 127;
        uint32_t shift = 7;
        for (uint8_t byte = 128; byte > 127; shift += 7) {
            byte = *list->at++;
            code |= (uint64_t)(byte & 127) << shift;
        }
    }
    code--;
    uint32_t turned = (uint32_t)(code >> 1), distance = (turned >> 1) ^ (0 - (turned & 1));
    return list->before = (code & 1 ? list->before : list->own) + distance;
}

static inline uint32_t turned(uint32_t distance) { return distance << 1 ^ (0 - (distance >> 31)); }

enum { LONGEST_CODE = 5 };

/* Makes room for a code, and the end of a list. Returns 0, or -1. */
static inline int list_room(struct ch_lists *lists) {
    if (lists->room - lists->used > LONGEST_CODE) return 0;
    uint64_t room = lists->room + lists->room / 4 + (1 << 20);
    uint8_t *bytes = realloc(lists->bytes, room);
    if (!bytes) return -1;
    lists->bytes = bytes;
    lists->room = room;
    return 0;
}

/* Adds an object to the list of `own`. Returns 0, or -1. */
static inline int list_add(struct ch_lists *lists, uint32_t own, uint32_t *before, uint32_t target) {
    if (list_room(lists) != 0) return -1;
    uint32_t from_own = turned(target - own), from_before = turned(target - *before);
    uint64_t code = from_own <= from_before ? (uint64_t)from_own << 1 : (uint64_t)from_before << 1 | 1;
    uint8_t *at = lists->bytes + lists->used;
    for (code++; code > 127; code >>= 7) *at++ = (uint8_t)(code | 128);
    *at++ = (uint8_t)code;
    lists->used = (uint64_t)(at - lists->bytes);
    *before = target;
    return 0;
}

#endif
