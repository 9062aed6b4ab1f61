/* From keys to slots.
 *
 * 1. A table has all keys of all probes. It is read without a lock; a key is added with the lock held, and stays. When
 *    the table grows, the one before it stays, too: a thread may be reading it.
 * 2. The first `top` keys of a probe have a slot each; all others share one. A key that comes late and often gets a
 *    slot after all, if its calls among the others, as far as they were noticed, are at least 16 and at least a `top`th
 *    part of all calls of the others. The calls before that stay with the others; the report is told how many these are
 *    at most.
 * 3. The calls of keys without a slot are noticed in places, chosen by hash, for which keys compete: a call of the key
 *    that has the place adds one, a call of another key takes one off, and whoever finds zero has the place.
 * 4. Threads notice without a lock, and may lose a few calls there; never in a slot.
 */
#include "key_slots.h"
#include "../table/probe_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_CALLS = 16 /* of a key that gets a slot late */, TEXT = 16384, FIRST_SIZE = 1024 };

struct known {
    uint64_t hash;
    uint32_t first, slot, bytes;
    unsigned char key[];
};
struct keys {
    size_t mask;
    struct known *at[];
};
static struct keys *all;
static size_t used; /* lock held */

static struct known *find(const struct ch_keys *of, uint64_t hash, const void *key, uint32_t bytes) {
    struct keys *t = ch_load_acquire(&all);
    struct known *k;
    if (!t) return NULL;
    for (size_t i = hash & t->mask; (k = ch_load_acquire(&t->at[i])); i = (i + 1) & t->mask)
        if (k->hash == hash && k->first == of->first && k->bytes == bytes && !memcmp(k->key, key, bytes)) return k;
    return NULL;
}

static void put(struct keys *t, struct known *k) {
    size_t i = k->hash & t->mask;
    while (t->at[i]) i = (i + 1) & t->mask;
    ch_store_release(&t->at[i], k);
}

/* Lock held. */
static bool has_room(void) {
    if (all && used * 2 < all->mask) return true;
    size_t size = all ? (all->mask + 1) * 2 : FIRST_SIZE;
    struct keys *more = calloc(1, sizeof *more + size * sizeof more->at[0]);
    if (!more) return false;
    more->mask = size - 1;
    for (size_t i = 0; all && i <= all->mask; i++)
        if (all->at[i]) put(more, all->at[i]);
    ch_store_release(&all, more);
    return true;
}

/* Lock held. Its record: the calls before it had a slot, at most, and the key. */
static void say(const struct ch_keys *of, const struct known *k, uint64_t before) {
    char *record = malloc(TEXT);
    if (!record) {
        ch_no_memory();
        return;
    }
    int head = sprintf(record, "%llu\t", (unsigned long long)before);
    size_t n = (size_t)head + of->text(k->key, k->bytes, record + head, TEXT - (size_t)head);
    ch_meta_add(CH_META_KEY, k->slot, of->first, record, n);
    free(record);
}

/* NULL: there is no room. `before`: calls that the others have counted of it, at most. */
static struct known *make(struct ch_keys *of, uint64_t hash, const void *key, uint32_t bytes, uint64_t before) {
    struct known *k;
    ch_lock();
    if (!(k = find(of, hash, key, bytes)) && has_room() && (k = malloc(sizeof *k + bytes))) {
        *k = (struct known){.hash = hash, .first = of->first, .bytes = bytes, .slot = ch_slots_take(of->slots)};
        memcpy(k->key, key, bytes);
        if (k->slot == UINT32_MAX) {
            free(k);
            k = NULL;
        } else {
            used++;
            ch_store_relaxed(&of->used, of->used + 1);
            say(of, k, before);
            put(all, k);
        }
    }
    ch_unlock();
    return k;
}

/* True if a key without a slot now gets one. */
static bool comes_often(struct ch_keys *of, uint64_t hash) {
    uint64_t beyond = ch_add_relaxed(&of->beyond, 1);
    struct ch_key_candidate *c = of->candidates ? &of->candidates[(hash >> 32) % of->top] : NULL;
    if (!c || ch_load_relaxed(&of->used) >= 2 * of->top) return false;
    uint32_t own = (uint32_t)hash, calls = ch_load_relaxed(&c->calls);
    if (ch_load_relaxed(&c->hash) == own) {
        ch_store_relaxed(&c->calls, calls + 1);
        if (calls + 1 < LEAST_CALLS || calls + 1 < beyond / of->top) return false;
        ch_store_relaxed(&c->calls, 0);
        return true;
    }
    if (calls) {
        ch_store_relaxed(&c->calls, calls - 1);
    } else {
        ch_store_relaxed(&c->hash, own);
        ch_store_relaxed(&c->calls, 1);
    }
    return false;
}

static __attribute__((noinline)) uint32_t slot_of_new(struct ch_keys *of, uint64_t hash, const void *key,
                                                      uint32_t bytes) {
    bool early = ch_load_relaxed(&of->used) < of->top;
    struct known *k =
        early || comes_often(of, hash) ? make(of, hash, key, bytes, early ? 0 : ch_load_relaxed(&of->beyond)) : NULL;
    return k ? k->slot : of->first + CH_KEYED_OTHERS;
}

uint32_t ch_key_slot(struct ch_keys *of, const void *key, uint32_t bytes) {
    uint64_t hash = ch_hash_own((struct ch_key){of->first, 0}, key, bytes).low;
    struct known *k = find(of, hash, key, bytes);
    return __builtin_expect(k != NULL, 1) ? k->slot : slot_of_new(of, hash, key, bytes);
}

uint32_t ch_key_slot_of_number(struct ch_keys *of, const void *key, uint32_t bytes, uint64_t number) {
    uint64_t hash = (number ^ (uint64_t)of->first << 40) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
    struct known *k = find(of, hash, key, bytes);
    return __builtin_expect(k != NULL, 1) ? k->slot : slot_of_new(of, hash, key, bytes);
}
