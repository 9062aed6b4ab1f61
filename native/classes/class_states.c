/* What the hook did of each class that a rule could match: by which rules it was woven last, if at all.
 *
 * A class is known by its name and its loader's identity: there is no class yet when the hook sees it first. Two that look alike share an
 * entry, and one of them is transformed once more than needed.
 * Classes are unloaded: whenever there are twice as many entries as were left the last time, those of classes that are no longer loaded are
 * forgotten. Entries that are new since then stay, as theirs may be being defined.
 */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024, FIRST_SWEEP = 8192 };

struct entry {
    struct ch_key class;
    uint32_t rules; /* their number + 1; 0: a free entry */
    bool woven, forgotten, matched_once, woven_once, covered_ahead;
    bool old, there; /* old: was there at the last sweep; there: its class was found in this one */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *table;
static size_t room, used, most = FIRST_SWEEP;
static bool sweeping;

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

static bool is_gone(const struct entry *e) { return e->old && !e->there; }

/* `swept`: without those that are gone. */
static bool make_room(size_t more, bool swept) {
    struct entry *old = table, *fresh = calloc(more, sizeof *fresh);
    size_t n = room;
    if (!fresh) return false;
    table = fresh;
    room = more;
    used = 0;
    for (struct entry *e = old; e < old + n; e++) {
        if (!e->rules || (swept && is_gone(e))) continue;
        if (swept) e->old = true, e->there = false;
        *place_of(e->class) = *e;
        used++;
    }
    free(old);
    return true;
}

/* ---- classes that were unloaded */

static void note_there(jobject loader, const char *name) {
    struct ch_key key = key_of(loader, name);
    pthread_mutex_lock(&lock);
    place_of(key)->there = true; /* of a free place, too, which stays free */
    pthread_mutex_unlock(&lock);
}

static void forget_others(void) {
    size_t fits = FIRST_ROOM, left = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < room; i++) left += table[i].rules && !is_gone(&table[i]);
    while (fits < 4 * left) fits *= 2;
    make_room(fits, true);
    most = 2 * used > FIRST_SWEEP ? 2 * used : FIRST_SWEEP;
    pthread_mutex_unlock(&lock);
}

static void sweep(JNIEnv *env) {
    jclass *classes = NULL;
    jint n = 0;
    char name[1024];
    if ((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes)) return;
    (*env)->EnsureLocalCapacity(env, n + 64);
    for (jint i = 0; i < n; i++) {
        jobject loader = NULL;
        if (ch_name_of_class(classes[i], name, sizeof name) && !(*ch_jvmti)->GetClassLoader(ch_jvmti, classes[i], &loader)) note_there(loader, name);
        if (loader) (*env)->DeleteLocalRef(env, loader);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
    forget_others();
}

/* ---- */

void ch_class_note(JNIEnv *env, jobject loader, const char *name, uint32_t rules, bool woven, const struct ch_done *done) {
    struct ch_key key = key_of(loader, name);
    pthread_mutex_lock(&lock);
    if (used * 2 < room || make_room(room ? room * 2 : FIRST_ROOM, false)) {
        struct entry *e = place_of(key);
        used += !e->rules;
        *e = (struct entry){.class = key, .rules = rules + 1, .woven = woven, .matched_once = e->matched_once || (done && done->matched),
                            .woven_once = e->woven_once || (done && done->woven),
                            .covered_ahead = done ? done->covered_ahead : e->covered_ahead};
    }
    bool due = used > most && !sweeping;
    if (due) sweeping = true;
    pthread_mutex_unlock(&lock);
    if (!due) return;
    sweep(env);
    pthread_mutex_lock(&lock);
    sweeping = false;
    pthread_mutex_unlock(&lock);
}

void ch_class_forget(jobject loader, const char *name, const struct ch_done *done) {
    struct ch_key key = key_of(loader, name);
    pthread_mutex_lock(&lock);
    struct entry *e = table ? place_of(key) : NULL;
    if (e && e->rules) *e = (struct entry){.class = key, .rules = e->rules, .forgotten = true, .matched_once = e->matched_once && !done->matched,
                                           .woven_once = e->woven_once && !done->woven};
    pthread_mutex_unlock(&lock);
}

struct ch_class_state ch_class_state(jobject loader, const char *name) {
    struct ch_key key = key_of(loader, name);
    struct ch_class_state s = {0};
    pthread_mutex_lock(&lock);
    if (table && place_of(key)->rules) {
        const struct entry *e = place_of(key);
        s = (struct ch_class_state){!e->forgotten, e->woven, e->matched_once, e->woven_once, e->covered_ahead, e->rules - 1};
    }
    pthread_mutex_unlock(&lock);
    return s;
}
