/* What the hook did of each class that a rule could match: by which rules it was woven last, if at all.
 *
 * A class is known by its name and its loader's identity: there is no class yet when the hook sees it first. Two that look alike share an
 * entry, and one of them is transformed once more than needed.
 */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct ch_key class;
    uint32_t rules; /* their number + 1; 0: a free entry */
    bool woven, forgotten, matched_once, woven_once;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *table;
static size_t room, used;

static struct ch_key key_of(jobject loader, const char *name) {
    jint hash = 0;
    if (loader) (void)(*ch_jvmti)->GetObjectHashCode(ch_jvmti, loader, &hash);
    return ch_hash_unkeyed((struct ch_key){loader ? 1 : 0, (uint32_t)hash}, name, strlen(name));
}

static struct entry *place_of(struct ch_key key) {
    size_t at = key.low & (room - 1);
    while (table[at].rules && !ch_same_key(table[at].class, key)) at = (at + 1) & (room - 1);
    return &table[at];
}

static bool grow(void) {
    struct entry *old = table, *fresh = calloc(room ? room * 2 : 1024, sizeof *fresh);
    size_t n = room;
    if (!fresh) return false;
    table = fresh;
    room = n ? n * 2 : 1024;
    for (size_t i = 0; i < n; i++)
        if (old[i].rules) *place_of(old[i].class) = old[i];
    free(old);
    return true;
}

void ch_class_note(jobject loader, const char *name, uint32_t rules, bool woven, const struct ch_done *done) {
    struct ch_key key = key_of(loader, name);
    pthread_mutex_lock(&lock);
    if (used * 2 < room || grow()) {
        struct entry *e = place_of(key);
        used += !e->rules;
        *e = (struct entry){key, rules + 1, woven, false, e->matched_once || (done && done->matched), e->woven_once || (done && done->woven)};
    }
    pthread_mutex_unlock(&lock);
}

void ch_class_forget(jobject loader, const char *name, const struct ch_done *done) {
    struct ch_key key = key_of(loader, name);
    pthread_mutex_lock(&lock);
    struct entry *e = table ? place_of(key) : NULL;
    if (e && e->rules) *e = (struct entry){key, e->rules, false, true, e->matched_once && !done->matched, e->woven_once && !done->woven};
    pthread_mutex_unlock(&lock);
}

struct ch_class_state ch_class_state(jobject loader, const char *name) {
    struct ch_key key = key_of(loader, name);
    struct ch_class_state s = {0};
    pthread_mutex_lock(&lock);
    if (table && place_of(key)->rules) {
        const struct entry *e = place_of(key);
        s = (struct ch_class_state){!e->forgotten, e->woven, e->matched_once, e->woven_once, e->rules - 1};
    }
    pthread_mutex_unlock(&lock);
    return s;
}
