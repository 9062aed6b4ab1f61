/* Classes between the hook and the moment when they are prepared: which supertypes were expected of each, and what the
 * hook did with it. */
#include "classes.h"
#include <pthread.h>

enum { MOST = 1 << 17 };

struct entry {
    struct ch_keyed class;
    struct ch_pending is;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CH_TABLE(struct entry) pending;

uint32_t ch_pending_note(struct ch_key class, uint32_t expected, bool all_known) {
    const struct entry fresh = {.class = {.key = class}, .is = {.expected = expected, .all_known = all_known}};
    pthread_mutex_lock(&lock);
    struct entry *e = ch_table_find_key(&pending, &class);
    if (e && e->is.expected != expected) e->is.expected = 0;
    if (!e && pending.table.used < MOST) e = ch_table_add_key(&pending, &fresh);
    pthread_mutex_unlock(&lock);
    return e ? expected : CH_NO_NAMES;
}

void ch_pending_done(struct ch_key class, const struct ch_done *done) {
    pthread_mutex_lock(&lock);
    struct entry *e = ch_table_find_key(&pending, &class);
    if (e) e->is.done = *done;
    pthread_mutex_unlock(&lock);
}

void ch_pending_take(struct ch_key class, struct ch_pending *found) {
    pthread_mutex_lock(&lock);
    struct entry *e = ch_table_find_key(&pending, &class);
    if (e) {
        *found = e->is;
        ch_table_remove(&pending, e);
    }
    pthread_mutex_unlock(&lock);
}
