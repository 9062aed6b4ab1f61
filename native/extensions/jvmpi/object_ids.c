/* Ids of objects: tags in JVMPI's own environment, given when they are first asked for. They never move, and are never
 * used again. A value object has no identity, and so no id: its is 0.
 *
 * 1. The lowest bits say what it is: a class, a thread or any other object. The id of a thread's object is that of its
 *    environment, too.
 * 2. Classes and threads are asked for by their ids, so these are in a table, with weak references. Others are looked
 *    for by their tags.
 * 3. When the agent reports that an object is gone, its entry is put aside. Another thread may still be reading the
 *    entry, so its reference is freed only when the next entry is added.
 * 4. Two threads may ask for the id of the same object at once. One waits for the other for a while, and not for ever:
 *    that might be suspended.
 */
#include "../../base/waiting.h"
#include "../../base/table.h"
#include "jvmpi.h"
#include <sched.h>

enum { OBJECT, CLASS, THREAD, KINDS = 4, PATIENCE_NS = 2000000 };

struct entry {
    uint64_t id;
    jweak reference;
    struct ch_ran ran;
    struct entry *next;
};

struct place {
    uint32_t hash;
    struct entry *entry;
};

static CH_TABLE(struct place) entries;
static struct entry *gone;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the JVM is not called with it held */
static uint64_t last;
static bool taken;
static jclass of_class, of_thread;

uint64_t ch_id_given(PyObject *number) {
    uint64_t id = PyLong_Check(number) ? PyLong_AsUnsignedLongLong(number) : 0;
    if (PyErr_Occurred()) PyErr_Clear();
    return id == UINT64_MAX ? 0 : id;
}

static uint64_t fresh(unsigned kind) { return (ch_add_relaxed(&last, 1) + 1) * KINDS + kind; }

bool ch_id_is_class(uint64_t id) { return id % KINDS == CLASS; }

bool ch_id_is_thread(uint64_t id) { return id % KINDS == THREAD; }

bool ch_id_prepare(JNIEnv *env) {
    if (of_thread) return true;
    jclass thread = ch_boot(env, "java.lang.Thread"), of = ch_boot(env, "java.lang.Class");
    if (!thread || !of) return false;
    of_class = (*env)->NewGlobalRef(env, of);
    of_thread = (*env)->NewGlobalRef(env, thread);
    return of_thread;
}

/* ---- the table */

static bool has_id(const void *place, const void *id) {
    return ((const struct place *)place)->entry->id == *(const uint64_t *)id;
}

static struct place *place_of(uint64_t id) { return ch_table_find(&entries, ch_hash_number(id), has_id, &id); }

static void keep(JNIEnv *env, jobject object, uint64_t id) {
    pthread_mutex_lock(&lock);
    struct entry *e = gone;
    if (e) gone = e->next;
    pthread_mutex_unlock(&lock);
    bool before = ch_jvmpi_quiet;
    ch_jvmpi_quiet = true;
    if (e && e->reference) (*env)->DeleteWeakGlobalRef(env, e->reference);
    if (!e) e = malloc(sizeof *e);
    if (e) *e = (struct entry){.id = id, .reference = (*env)->NewWeakGlobalRef(env, object)};
    ch_jvmpi_quiet = before;
    if (!e) return;
    pthread_mutex_lock(&lock);
    if (!ch_table_add(&entries, ch_hash_number(id), &(struct place){.entry = e})) {
        e->next = gone; /* no memory: it is not found by its id */
        gone = e;
    }
    pthread_mutex_unlock(&lock);
}

void ch_id_freed(uint64_t id) {
    if (id % KINDS == OBJECT) return;
    pthread_mutex_lock(&lock);
    struct place *at = place_of(id);
    if (at) {
        at->entry->next = gone;
        gone = at->entry;
        ch_table_remove(&entries, at);
    }
    pthread_mutex_unlock(&lock);
}

bool ch_id_ran(uint64_t id, struct ch_ran *ran, bool store) {
    pthread_mutex_lock(&lock);
    const struct place *at = place_of(id);
    struct entry *e = at ? at->entry : NULL;
    if (e && store) e->ran = *ran;
    if (e) *ran = e->ran;
    pthread_mutex_unlock(&lock);
    return e;
}

/* ---- ids */

static uint64_t tag_of(jobject object) {
    jlong tag = 0;
    return (*ch_jvmpi)->GetTag(ch_jvmpi, object, &tag) ? 0 : (uint64_t)tag;
}

static uint64_t give(JNIEnv *env, jobject object) {
    unsigned kind = (*env)->IsInstanceOf(env, object, of_class)    ? CLASS
                    : (*env)->IsInstanceOf(env, object, of_thread) ? THREAD
                                                                   : OBJECT;
    uint64_t id = fresh(kind);
    if ((*ch_jvmpi)->SetTag(ch_jvmpi, object, (jlong)id)) return 0;
    if (kind != OBJECT) keep(env, object, id);
    ch_hub->watch(env, object, id);
    return id;
}

static int64_t now_ns(void) { return (int64_t)ch_ns_of(CLOCK_MONOTONIC); }

static void take_turn(void) {
    if (!ch_exchange_acquire(&taken, true)) return;
    int64_t until = now_ns() + PATIENCE_NS;
    while (ch_exchange_acquire(&taken, true) && now_ns() < until) sched_yield();
}

uint64_t ch_id_new(JNIEnv *env, jobject object) { return of_thread && object ? give(env, object) : 0; }

uint64_t ch_id(JNIEnv *env, jobject object) {
    uint64_t id = object ? tag_of(object) : 0;
    if (id || !object || !of_thread || ch_hub->is_value(env, object)) return id;
    take_turn();
    if (!(id = tag_of(object))) id = give(env, object);
    ch_store_release(&taken, false);
    return id;
}

uint64_t ch_id_thread(JNIEnv *env, jthread thread) { return ch_id(env, thread); }

uint64_t ch_id_own_thread(void) {
    JNIEnv *env = ch_here();
    jthread self = NULL;
    if (!env || (*ch_jvmpi)->GetCurrentThread(ch_jvmpi, &self)) return 0;
    uint64_t id = ch_id(env, self);
    if (self) (*env)->DeleteLocalRef(env, self);
    return id;
}

jobject ch_id_object(JNIEnv *env, uint64_t id) {
    jobject *objects = NULL, found = NULL;
    jint n = 0;
    if (!id) return NULL;
    if (id % KINDS != OBJECT) {
        pthread_mutex_lock(&lock);
        const struct place *at = place_of(id);
        jweak reference = at ? at->entry->reference : NULL;
        pthread_mutex_unlock(&lock);
        return reference ? (*env)->NewLocalRef(env, reference) : NULL;
    }
    jlong tag = (jlong)id;
    if ((*ch_jvmpi)->GetObjectsWithTags(ch_jvmpi, 1, &tag, &n, &objects, NULL)) return NULL;
    for (jint i = 0; i < n; i++)
        if (i)
            (*env)->DeleteLocalRef(env, objects[i]);
        else
            found = objects[i];
    ch_free(objects);
    return found;
}
