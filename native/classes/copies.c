/* Copies of one class, made by several loaders or by repeated retransformation, and versions of it whose tables are the same: they share their
 * slots and their table.
 *
 * The report sums classes of the same name anyway. So a class that is loaded again and again takes no more room than one loaded once.
 */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>

struct copy {
    struct ch_key key;
    uint32_t first_slot, taken; /* taken: how many there are */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct copy *table;
static size_t room, used;

static struct copy *place_of(struct ch_key key) {
    size_t at = key.low & (room - 1);
    while (table[at].taken && (table[at].key.low != key.low || table[at].key.high != key.high)) at = (at + 1) & (room - 1);
    return &table[at];
}

uint32_t ch_copies_find(struct ch_key key) {
    uint32_t first = UINT32_MAX;
    pthread_mutex_lock(&lock);
    if (table && place_of(key)->taken) {
        first = place_of(key)->first_slot;
        place_of(key)->taken++;
    }
    pthread_mutex_unlock(&lock);
    return first;
}

static bool grow(void) {
    struct copy *old = table;
    size_t n = room, more = n ? n * 2 : 1024;
    struct copy *fresh = calloc(more, sizeof *fresh);
    if (!fresh) return false;
    table = fresh;
    room = more;
    for (size_t i = 0; i < n; i++)
        if (old[i].taken) *place_of(old[i].key) = old[i];
    free(old);
    return true;
}

void ch_copies_add(struct ch_key key, uint32_t first_slot) {
    pthread_mutex_lock(&lock);
    if (used * 2 < room || grow()) {
        struct copy *c = place_of(key);
        used += !c->taken;
        *c = (struct copy){key, first_slot, 1};
    }
    pthread_mutex_unlock(&lock);
}

bool ch_copies_drop(struct ch_key key) {
    pthread_mutex_lock(&lock);
    struct copy *c = table ? place_of(key) : NULL;
    bool last = c && c->taken == 1;
    if (last) c->key.high = ~c->key.high; /* no class has this key; its place stays taken */
    pthread_mutex_unlock(&lock);
    return last;
}
