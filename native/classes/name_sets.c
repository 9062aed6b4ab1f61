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
static struct ch_names *sets = (struct ch_names[]){{NULL, 0}, {"", 0}}; /* by number; it grows by being copied, so that readers need no lock */
static uint32_t count = CH_NO_NAMES + 1, room, *table, table_room;
static size_t bytes_held;

struct ch_names ch_names(uint32_t number) {
    struct ch_names *all = __atomic_load_n(&sets, __ATOMIC_ACQUIRE);
    return all[number];
}

static uint32_t *place_of(const struct ch_names *s) {
    uint32_t at = (uint32_t)ch_hash_unkeyed((struct ch_key){0, 0}, s->text, s->bytes).low & (table_room - 1);
    while (table[at] && (sets[table[at]].bytes != s->bytes || memcmp(sets[table[at]].text, s->text, s->bytes))) at = (at + 1) & (table_room - 1);
    return &table[at];
}

static bool make_room(void) {
    uint32_t more = room ? room * 2 : FIRST_ROOM, *old = table, *fresh;
    struct ch_names *copy;
    if (count < room) return true;
    if (!(copy = malloc(more * sizeof *copy)) || !(fresh = calloc(2 * (size_t)more, sizeof *fresh))) {
        free(copy);
        return false;
    }
    memcpy(copy, sets, count * sizeof *copy);
    __atomic_store_n(&sets, copy, __ATOMIC_RELEASE); /* the old one is left to those who read it; all of them are as large as the last */
    room = more;
    table = fresh;
    table_room = 2 * more;
    for (uint32_t i = CH_NO_NAMES + 1; i < count; i++) *place_of(&sets[i]) = i;
    free(old);
    return true;
}

uint32_t ch_names_number(const char *text, size_t bytes) {
    if (!bytes) return CH_NO_NAMES;
    struct ch_names s = {text, (uint32_t)bytes};
    uint32_t number = 0;
    pthread_mutex_lock(&lock);
    if (make_room() && !(number = *place_of(&s)) && bytes < MOST_BYTES - bytes_held && count < MOST) {
        char *copy = malloc(bytes);
        if (copy) {
            s.text = memcpy(copy, text, bytes);
            bytes_held += bytes;
            uint32_t *place = place_of(&s);
            sets[count] = s;
            number = *place = count++;
        }
    }
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
