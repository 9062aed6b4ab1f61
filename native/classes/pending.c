/* Classes between the hook and the moment when they are prepared: which supertypes were expected of each, and what the hook did with it. */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>

enum { PLACES = 1 << 14, MOST = 1 << 17 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry {
    struct entry *next;
    struct ch_key class;
    struct ch_pending is;
} *places[PLACES];
static size_t count;

static struct entry **place_of(struct ch_key key) {
    struct entry **at = &places[key.low % PLACES];
    while (*at && !ch_same_key((*at)->class, key)) at = &(*at)->next;
    return at;
}

uint32_t ch_pending_note(struct ch_key class, uint32_t expected, bool all_known) {
    pthread_mutex_lock(&lock);
    struct entry **at = place_of(class), *e = *at;
    if (e) {
        if (e->is.expected != expected) e->is.expected = 0;
    } else if (count < MOST && (e = malloc(sizeof *e))) {
        *e = (struct entry){.class = class, .is = {.expected = expected, .all_known = all_known}};
        *at = e;
        count++;
    }
    pthread_mutex_unlock(&lock);
    return e ? expected : CH_NO_NAMES;
}

void ch_pending_done(struct ch_key class, const struct ch_done *done) {
    pthread_mutex_lock(&lock);
    struct entry *e = *place_of(class);
    if (e) e->is.done = *done;
    pthread_mutex_unlock(&lock);
}

void ch_pending_take(struct ch_key class, struct ch_pending *found) {
    pthread_mutex_lock(&lock);
    struct entry **at = place_of(class), *e = *at;
    if (e) {
        *found = e->is;
        *at = e->next;
        count--;
        free(e);
    }
    pthread_mutex_unlock(&lock);
}
