/* The hook's last weaving of each class that a rule could match: the rules, if it was woven at all.
 *
 * A class is known by its name and its loader's identity: there is no class yet when the hook sees it first. Two that
 * look alike share an entry, and one of them is transformed once more than needed. Classes are unloaded: whenever there
 * are twice as many entries as were left the last time, those of classes that are no longer loaded are forgotten.
 * Entries that are new since then stay, as theirs may be being defined.
 */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SWEEP = 8192 };

struct entry {
    struct ch_keyed class;
    uint32_t rules; /* their number */
    bool woven, forgotten, matched_once, woven_once, covered_ahead;
    bool old, there; /* old: was there at the last sweep; there: its class was found in this one */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
typedef CH_TABLE(struct entry) entries;
static entries table;
static size_t most = FIRST_SWEEP;
static bool sweeping;

/* ---- classes that were unloaded */

static void note_there(jobject loader, const char *name) {
    struct ch_key key = ch_class_key(loader, name);
    pthread_mutex_lock(&lock);
    struct entry *e = ch_table_find_key(&table, &key);
    if (e) e->there = true;
    pthread_mutex_unlock(&lock);
}

static void forget_others(void) {
    entries left = {{NULL, 0, 0}};
    bool well = true;
    pthread_mutex_lock(&lock);
    for (const struct entry *e = ch_table_next(&table, NULL); e && well; e = ch_table_next(&table, e)) {
        struct entry now = *e;
        now.old = true;
        now.there = false;
        if (!e->old || e->there) well = ch_table_add_key(&left, &now);
    }
    ch_table_clear(well ? &table : &left); /* without memory, all stay */
    if (well) table = left;
    most = 2 * table.table.used > FIRST_SWEEP ? 2 * table.table.used : FIRST_SWEEP;
    pthread_mutex_unlock(&lock);
}

static void sweep(JNIEnv *env) {
    jclass *classes = NULL;
    jint n = 0;
    char name[1024];
    if ((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes)) return;
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        jobject loader = NULL;
        if (ch_name_of_class(classes[i], name, sizeof name) &&
            !(*ch_jvmti)->GetClassLoader(ch_jvmti, classes[i], &loader))
            note_there(loader, name);
        if (loader) (*env)->DeleteLocalRef(env, loader);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
    forget_others();
}

/* ---- */

void ch_class_note(JNIEnv *env, jobject loader, const char *name, uint32_t rules, bool woven,
                   const struct ch_done *done) {
    const struct entry fresh = {.class = {.key = ch_class_key(loader, name)}};
    pthread_mutex_lock(&lock);
    struct entry *e = ch_table_find_key(&table, &fresh.class.key);
    if (e || (e = ch_table_add_key(&table, &fresh)))
        *e = (struct entry){.class = e->class,
                            .rules = rules,
                            .woven = woven,
                            .matched_once = e->matched_once || (done && done->matched),
                            .woven_once = e->woven_once || (done && done->woven),
                            .covered_ahead = done ? done->covered_ahead : e->covered_ahead};
    bool due = table.table.used > most && !sweeping;
    if (due) sweeping = true;
    pthread_mutex_unlock(&lock);
    if (!due) return;
    sweep(env);
    pthread_mutex_lock(&lock);
    sweeping = false;
    pthread_mutex_unlock(&lock);
}

void ch_class_forget(jobject loader, const char *name, const struct ch_done *done) {
    struct ch_key key = ch_class_key(loader, name);
    pthread_mutex_lock(&lock);
    struct entry *e = ch_table_find_key(&table, &key);
    if (e)
        *e = (struct entry){.class = e->class,
                            .rules = e->rules,
                            .forgotten = true,
                            .matched_once = e->matched_once && !done->matched,
                            .woven_once = e->woven_once && !done->woven};
    pthread_mutex_unlock(&lock);
}

void ch_classes_anew(void) {
    pthread_mutex_lock(&lock);
    for (struct entry *e = ch_table_next(&table, NULL); e; e = ch_table_next(&table, e))
        e->matched_once = e->woven_once = false;
    pthread_mutex_unlock(&lock);
    ch_store_relaxed(&ch_header->matched, 0);
    ch_store_relaxed(&ch_header->woven, 0);
    ch_store_relaxed(&ch_header->cached, 0);
}

struct ch_class_state ch_class_state(jobject loader, const char *name) {
    struct ch_key key = ch_class_key(loader, name);
    struct ch_class_state s = {0};
    pthread_mutex_lock(&lock);
    const struct entry *e = ch_table_find_key(&table, &key);
    if (e)
        s = (struct ch_class_state){!e->forgotten, e->woven,         e->matched_once,
                                    e->woven_once, e->covered_ahead, e->rules};
    pthread_mutex_unlock(&lock);
    return s;
}

void ch_class_due(jobject loader, const char *name) {
    enum { NEVER = UINT32_MAX }; /* an odd number: no rules have it */
    const struct entry fresh = {.class = {.key = ch_class_key(loader, name)}};
    pthread_mutex_lock(&lock);
    struct entry *e = ch_table_find_key(&table, &fresh.class.key);
    if (e || (e = ch_table_add_key(&table, &fresh))) {
        e->rules = NEVER;
        e->forgotten = false;
    }
    pthread_mutex_unlock(&lock);
}
