/* Copies of one class, made by several loaders or by repeated retransformation, and versions of it whose tables are the
 * same: they share their slots and their table.
 *
 * The report sums classes of the same name anyway. So a class that is loaded again and again takes no more room than
 * one loaded once.
 */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>

struct copy {
    struct ch_keyed is;
    uint32_t first_slot, taken; /* taken: how many there are */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CH_TABLE(struct copy) copies;

uint32_t ch_copies_find(struct ch_key key) {
    uint32_t first = UINT32_MAX;
    pthread_mutex_lock(&lock);
    struct copy *c = ch_table_find_key(&copies, &key);
    if (c) {
        first = c->first_slot;
        c->taken++;
    }
    pthread_mutex_unlock(&lock);
    return first;
}

void ch_copies_add(struct ch_key key, uint32_t first_slot) {
    const struct copy first = {{.key = key}, first_slot, 1};
    pthread_mutex_lock(&lock);
    struct copy *c = ch_table_find_key(&copies, &key);
    if (c) {
        c->first_slot = first_slot;
        c->taken = 1;
    } else {
        ch_table_add_key(&copies, &first);
    }
    pthread_mutex_unlock(&lock);
}

bool ch_copies_drop(struct ch_key key) {
    pthread_mutex_lock(&lock);
    struct copy *c = ch_table_find_key(&copies, &key);
    bool last = c && c->taken == 1;
    if (last) ch_table_remove(&copies, c);
    pthread_mutex_unlock(&lock);
    return last;
}
