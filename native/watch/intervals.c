/* The natives of `time from A to B`: how long it is from a call of A to one of B that has the same key.
 *
 * 1. A's probe keeps the time under the key, B's takes it away and adds what went by to a record of its own. Both name
 *    the rule in their records, so they share one list of open intervals.
 * 2. Strings and numbers are the same key if they are equal. Any other object is the same as itself alone: the list has
 *    a weak reference to it.
 * 3. A key that is open already begins anew. At most MOST_OPEN are open; before more are refused, those of objects that
 *    are gone are dropped, at most once in a second.
 * 4. What is open when the rule is removed or paused, or the session ends, gets no end: calls may not be seen then.
 *    Classes that still run with their probes begin nothing. Rules are never freed: threads may be reading them.
 */
#include "../timing/timing_records.h"
#include "rule_specs.h"
#include "tracker_natives.h"
#include "watch.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPEN = 100000 };
#define PATIENCE 1000000000u /* ns between two looks for objects that are gone */
enum { IDENTITY = 'I' }; /* a kind of key: an object itself, by its hash code */

struct open {
    uint32_t hash;
    uint64_t began;
    jweak object; /* NULL: the value is all */
    struct ch_key value;
};
struct rule {
    char *name; /* its text, as in compiled rules; of classes that an older version wove, another name */
    CH_TABLE(struct open) open;
    uint64_t looked_ns; /* for objects that are gone */
    bool told; /* that there is no room */
    bool removed;
    struct rule *next;
};
struct asked { /* of a probe */
    struct rule *rule;
    struct ch_way way;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static struct rule *rules;

/* ---- what a rule asks for, from the probe's record */

static struct rule *rule_named(char *name) {
    pthread_mutex_lock(&lock);
    struct rule *r = rules;
    while (r && strcmp(r->name, name)) r = r->next;
    if (!r && (r = calloc(1, sizeof *r))) {
        *r = (struct rule){.name = name, .next = rules};
        rules = r;
        name = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(name);
    return r;
}

static void *read_asked(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    if (!ch_probe_of(slot, CH_KIND(INTERVAL_FROM) | CH_KIND(INTERVAL_TO), &class_name, &p)) return NULL;
    struct asked *a = calloc(1, sizeof *a);
    char *path = ch_text_copy(p.interval.path), *name = ch_text_copy(p.interval.limit);
    const struct ch_way *way = a && path ? ch_way_read(path) : NULL;
    free(path);
    if (way && name) {
        a->way = *way;
        if ((a->rule = rule_named(name))) return a;
    } else {
        free(name);
    }
    free(a);
    ch_no_memory();
    return NULL;
}

static void prepare(JNIEnv *env) { (void)ch_fields_prepare(env); /* without it, there are no fields */ }

static struct ch_specs specs = {.slots = 1, .read = read_asked, .prepare = prepare};

/* ---- open intervals */

struct key {
    JNIEnv *env;
    jobject object; /* NULL: the value is all */
    uint32_t hash;
    struct ch_key value; /* a kind and a number, or the hash of a string */
};

static struct ch_key string_value(JNIEnv *env, jstring s) {
    enum { PART = 512 };
    jchar part[PART];
    jsize n = (*env)->GetStringLength(env, s);
    struct ch_key hash = {4, (uint64_t)n};
    for (jsize at = 0; at < n; at += PART) {
        jsize some = n - at < PART ? n - at : PART;
        (*env)->GetStringRegion(env, s, at, some, part);
        hash = ch_hash_own(hash, part, (size_t)some * sizeof *part);
    }
    return hash;
}

/* False: the call has no such value. */
static bool find_key(JNIEnv *env, struct key *k, const struct asked *a, jobject root) {
    struct ch_value_seen v = a->way.steps ? ch_value_from(env, root, &a->way, NULL) : ch_object_seen(env, root);
    if (v.kind == CH_VALUE_NONE || v.kind == CH_VALUE_NULL) return false;
    k->env = env;
    k->object = NULL;
    k->value = (struct ch_key){(uint64_t)v.kind, (uint64_t)v.number};
    if (v.kind == CH_VALUE_STRING) {
        k->value = string_value(env, v.object);
    } else if (v.kind == CH_VALUE_OBJECT || v.kind == CH_VALUE_ARRAY || v.kind == CH_VALUE_ENUM) {
        jint code = 0;
        if (!v.object || (*ch_jvmti)->GetObjectHashCode(ch_jvmti, v.object, &code)) return false;
        k->object = v.object;
        k->value = (struct ch_key){IDENTITY, (uint64_t)code};
    } else if (v.kind == CH_VALUE_FLOAT || v.kind == CH_VALUE_DOUBLE) {
        k->value.high = CH_VALUE_DOUBLE;
        memcpy(&k->value.low, &v.real, sizeof v.real);
    }
    k->hash = (uint32_t)ch_hash_own((struct ch_key){3, 0}, &k->value, sizeof k->value).low;
    return true;
}

static bool is_open(const void *entry, const void *key) {
    const struct open *o = entry;
    const struct key *k = key;
    if (o->value.high != k->value.high || o->value.low != k->value.low) return false;
    return !o->object || (*k->env)->IsSameObject(k->env, o->object, k->object);
}

static void forget_object(JNIEnv *env, jweak object) {
    if (object) (*env)->DeleteWeakGlobalRef(env, object);
}

/* Drops those of objects that are gone. */
static void drop_gone(JNIEnv *env, struct rule *r) {
    CH_TABLE(struct open) left = {0};
    uint64_t now = ch_monotonic_ns();
    if (now - r->looked_ns < PATIENCE) return;
    r->looked_ns = now;
    for (struct open *o = ch_table_next(&r->open, NULL); o; o = ch_table_next(&r->open, o))
        if ((o->object && (*env)->IsSameObject(env, o->object, NULL)) || !ch_table_add(&left, o->hash, o))
            forget_object(env, o->object);
    ch_table_clear(&r->open);
    r->open.table = left.table;
}

static void drop_all(JNIEnv *env, struct rule *r) {
    for (struct open *o = ch_table_next(&r->open, NULL); o; o = ch_table_next(&r->open, o))
        forget_object(env, o->object);
    ch_table_clear(&r->open);
}

static void exchanged(JNIEnv *env, const char *before, const char *now) {
    pthread_mutex_lock(&lock);
    for (struct rule *r = rules; r; r = r->next) {
        bool stands = ch_rules_have(now, r->name);
        r->removed = !stands && (r->removed || ch_rules_have(before, r->name)); /* else it was woven ahead of time */
        if (r->removed) drop_all(env, r);
    }
    pthread_mutex_unlock(&lock);
}

static void stop(JNIEnv *env, bool at_death) {
    pthread_mutex_lock(&lock);
    for (struct rule *r = at_death ? NULL : rules; r; r = r->next) drop_all(env, r);
    pthread_mutex_unlock(&lock);
}

const struct ch_measure ch_measure_intervals = {.name = "interval", .exchanged = exchanged, .stop = stop};

static void say_full(struct rule *r) {
    static const char text[] = "100,000 intervals of a rule `time from` are open, as many as are kept; more are not "
                               "timed until some of these end";
    if (!r->told) ch_meta_add(CH_META_NOTE, 0, 0, text, sizeof text - 1);
    r->told = true;
}

static void begin(struct rule *r, const struct key *k, uint64_t now) {
    struct open *o = ch_table_find(&r->open, k->hash, is_open, k);
    if (o) {
        o->began = now;
        return;
    }
    if (r->open.table.used == MOST_OPEN) drop_gone(k->env, r);
    if (r->open.table.used == MOST_OPEN) {
        say_full(r);
        return;
    }
    struct open new = {.began = now, .value = k->value};
    if (k->object) new.object = (*k->env)->NewWeakGlobalRef(k->env, k->object);
    if ((!k->object || new.object) && ch_table_add(&r->open, k->hash, &new)) return;
    forget_object(k->env, new.object);
    ch_no_memory();
}

/* 0: none is open. */
static uint64_t end(struct rule *r, const struct key *k) {
    struct open *o = ch_table_find(&r->open, k->hash, is_open, k);
    uint64_t began = o ? o->began : 0;
    if (o) {
        jweak gone = o->object;
        ch_table_remove(&r->open, o);
        forget_object(k->env, gone);
    }
    return began;
}

/* ---- the natives */

static const struct asked *asked_at(JNIEnv *env, jint slot) {
    ch_follow(env, NULL);
    return ch_self.silent || ch_call_is_running() ? NULL : ch_spec_of(&specs, env, slot);
}

static void forget(JNIEnv *env) {
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_intervalBegins(JNIEnv *env, jclass c, jobject root, jint slot) {
    (void)c;
    const struct asked *a = asked_at(env, slot);
    struct key k;
    if (a && find_key(env, &k, a, root)) {
        ch_block_add(ch_block_for_count(), slot, CH_COUNT_CALLS, 1);
        pthread_mutex_lock(&lock);
        if (!a->rule->removed) begin(a->rule, &k, ch_about_now());
        pthread_mutex_unlock(&lock);
    }
    forget(env);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_intervalEnds(JNIEnv *env, jclass c, jobject root, jint slot) {
    (void)c;
    uint64_t now = ch_about_now(), began = 0;
    const struct asked *a = asked_at(env, slot);
    struct key k;
    if (a && find_key(env, &k, a, root)) {
        pthread_mutex_lock(&lock);
        began = end(a->rule, &k);
        pthread_mutex_unlock(&lock);
        if (began) ch_duration_note((uint32_t)slot + CH_TIME_RECORD, now > began ? now - began : 0, false);
    }
    forget(env);
}
