/* Sets of class names, each kept once and known by its number: most classes have one of few sets.
 *
 * A set is its names in order, each ended by a zero. Numbers are never reused.
 */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20, MOST = 1 << CH_NAMES_BITS, FIRST_ROOM = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* by number; it grows by being copied, so that readers need no lock */
static struct ch_names *sets = (struct ch_names[]){{NULL, 0}, {"", 0}};
static uint32_t count = CH_NO_NAMES + 1, room;
static CH_TABLE(struct ch_numbered) numbers;
static size_t bytes_held;

struct ch_names ch_names(uint32_t number) {
    struct ch_names *all = ch_load_acquire(&sets);
    return all[number];
}

static bool is_same(const void *entry, const void *wanted) {
    const struct ch_names *a = &sets[((const struct ch_numbered *)entry)->number], *b = wanted;
    return a->bytes == b->bytes && !memcmp(a->text, b->text, b->bytes);
}

static bool make_room(void) {
    uint32_t more = room ? room * 2 : FIRST_ROOM;
    if (count < room) return true;
    struct ch_names *copy = malloc(more * sizeof *copy);
    if (!copy) return false;
    memcpy(copy, sets, count * sizeof *copy);
    ch_store_release(&sets, copy); /* the old one is left to those who read it; all of them are as large as the last */
    room = more;
    return true;
}

/* Adds a name; its number, or 0: no room. Lock held. */
static uint32_t add(const char *text, uint32_t bytes, uint32_t hash) {
    if (bytes >= MOST_BYTES - bytes_held || count >= MOST || !make_room()) return 0;
    char *copy = malloc(bytes);
    if (!copy || !ch_table_add(&numbers, hash, &(struct ch_numbered){.number = count})) {
        free(copy);
        return 0;
    }
    bytes_held += bytes;
    sets[count] = (struct ch_names){memcpy(copy, text, bytes), bytes};
    return count++;
}

uint32_t ch_names_number(const char *text, size_t bytes) {
    if (!bytes) return CH_NO_NAMES;
    if (bytes >= MOST_BYTES) return 0;
    const struct ch_names wanted = {text, (uint32_t)bytes};
    uint32_t hash = (uint32_t)ch_hash_own((struct ch_key){0, 0}, text, bytes).low;
    pthread_mutex_lock(&lock);
    const struct ch_numbered *known = ch_table_find(&numbers, hash, is_same, &wanted);
    uint32_t number = known ? known->number : add(text, wanted.bytes, hash);
    pthread_mutex_unlock(&lock);
    return number;
}

uint32_t ch_names_union(uint32_t a, uint32_t b) {
    if (a == b || b == CH_NO_NAMES || !a) return a;
    if (a == CH_NO_NAMES || !b) return b;
    struct ch_names x = ch_names(a), y = ch_names(b);
    const char *p = x.text, *q = y.text, *p_end = p + x.bytes, *q_end = q + y.bytes;
    char *merged = malloc((size_t)x.bytes + y.bytes), *to = merged;
    if (!merged) return 0;
    while (p < p_end || q < q_end) {
        int order = p == p_end ? 1 : q == q_end ? -1 : strcmp(p, q);
        const char *next = order <= 0 ? p : q;
        if (order <= 0) p += strlen(p) + 1;
        if (order >= 0) q += strlen(q) + 1;
        to = stpcpy(to, next) + 1;
    }
    uint32_t number = ch_names_number(merged, (size_t)(to - merged));
    free(merged);
    return number;
}
