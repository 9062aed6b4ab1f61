/* The hash table of this code: open addressing with linear probing, at most half full while there is memory.
 *
 *     struct name { uint32_t hash, number; char *text; };
 *     static CH_TABLE(struct name) names;
 *
 * 1. An entry is a struct whose first field is `uint32_t hash`; the table sets it, and 0 marks a free place. A table of
 *    zeros is empty.
 * 2. An entry moves when another one is added or removed, so a pointer to it is valid until then, under the table's
 *    lock.
 * 3. Without memory, ch_table_add returns NULL and leaves the table as it was. A table that cannot grow takes entries
 *    until one place is free.
 * 4. Names that the observed program chooses are hashed by ch_hash_own (base.h), so that it cannot construct
 *    collisions; numbers and addresses that the agent or the JVM gives, by ch_hash_number.
 *
 * All is inline: sizes and comparisons are constants where a table is used, and the second library has tables, too.
 */
#ifndef CLASSHOOK_TABLE_H
#define CLASSHOOK_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ch_table {
    void *places;
    uint32_t room, used; /* room: 0, or a power of two */
};

/* `entry` gives the macros below the entries' type. */
#define CH_TABLE(type) \
    union { \
        struct ch_table table; \
        type *entry; \
    }
#define CH_ENTRY(t) __typeof__((t)->entry)

/* The entry for which `same(entry, key)` is true, or NULL; only entries with this hash are compared. */
#define ch_table_find(t, hash, same, key) \
    ((CH_ENTRY(t))ch_table_find_in(&(t)->table, sizeof *(t)->entry, hash, same, key))

/* Copies an entry, given by its address, into the table, which has none with its key. */
#define ch_table_add(t, hash, ...) \
    ((CH_ENTRY(t))ch_table_add_to(&(t)->table, sizeof *(t)->entry, hash, 1 ? (__VA_ARGS__) : (t)->entry))

#define ch_table_remove(t, gone) ch_table_remove_from(&(t)->table, sizeof *(t)->entry, 1 ? (gone) : (t)->entry)

/* All entries, in no order: for (e = ch_table_next(t, NULL); e; e = ch_table_next(t, e)). */
#define ch_table_next(t, before) \
    ((CH_ENTRY(t))ch_table_next_of(&(t)->table, sizeof *(t)->entry, 1 ? (before) : (t)->entry))

#define ch_table_clear(t) ch_table_free(&(t)->table)

/* An entry that only leads to what is elsewhere. */
struct ch_numbered {
    uint32_t hash, number;
};

static inline uint32_t ch_hash_number(uint64_t n) { return (uint32_t)(n * 0x9E3779B97F4A7C15u >> 32); }

/* ---- what the macros call */

static inline uint32_t *ch_table_place(const struct ch_table *t, size_t size, uint32_t at) {
    return (uint32_t *)(void *)((char *)t->places + (size_t)at * size);
}

static inline __attribute__((always_inline)) void *ch_table_find_in(const struct ch_table *t, size_t size,
                                                                    uint32_t hash,
                                                                    bool (*same)(const void *entry, const void *key),
                                                                    const void *key) {
    if (!t->used) return NULL;
    if (!hash) hash = 1;
    for (uint32_t at = hash & (t->room - 1), *place; *(place = ch_table_place(t, size, at));
         at = (at + 1) & (t->room - 1))
        if (*place == hash && same(place, key)) return place;
    return NULL;
}

static inline uint32_t *ch_table_free_place(const struct ch_table *t, size_t size, uint32_t hash) {
    uint32_t at = hash & (t->room - 1);
    while (*ch_table_place(t, size, at)) at = (at + 1) & (t->room - 1);
    return ch_table_place(t, size, at);
}

static inline bool ch_table_grow(struct ch_table *t, size_t size) {
    enum { FIRST_ROOM = 16 };
    struct ch_table more = {NULL, t->room ? t->room * 2 : FIRST_ROOM, t->used};
    if (!more.room || !(more.places = calloc(more.room, size))) return false;
    for (uint32_t i = 0; i < t->room; i++) {
        const uint32_t *place = ch_table_place(t, size, i);
        if (*place) memcpy(ch_table_free_place(&more, size, *place), place, size);
    }
    free(t->places);
    *t = more;
    return true;
}

static inline void *ch_table_add_to(struct ch_table *t, size_t size, uint32_t hash, const void *entry) {
    if (t->used >= t->room / 2 && !ch_table_grow(t, size) && t->used + 1 >= t->room) return NULL;
    if (!hash) hash = 1;
    uint32_t *place = ch_table_free_place(t, size, hash);
    memcpy(place, entry, size);
    *place = hash;
    t->used++;
    return place;
}

/* Closes the gap, so that a search does not stop before a later entry. */
static inline void ch_table_remove_from(struct ch_table *t, size_t size, void *gone) {
    uint32_t mask = t->room - 1, hole = (uint32_t)((size_t)((char *)gone - (char *)t->places) / size), hash;
    for (uint32_t at = (hole + 1) & mask; (hash = *ch_table_place(t, size, at)); at = (at + 1) & mask) {
        if (((at - hash) & mask) < ((at - hole) & mask)) continue;
        memcpy(ch_table_place(t, size, hole), ch_table_place(t, size, at), size);
        hole = at;
    }
    memset(ch_table_place(t, size, hole), 0, size);
    t->used--;
}

static inline void *ch_table_next_of(const struct ch_table *t, size_t size, const void *before) {
    uint32_t at = before ? (uint32_t)((size_t)((const char *)before - (char *)t->places) / size) + 1 : 0;
    while (at < t->room && !*ch_table_place(t, size, at)) at++;
    return at < t->room ? ch_table_place(t, size, at) : NULL;
}

static inline void ch_table_free(struct ch_table *t) {
    free(t->places);
    *t = (struct ch_table){NULL, 0, 0};
}
#endif
