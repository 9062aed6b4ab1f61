/* Class files, changed by scripts.
 *
 * 1. The hook of the environment of events comes after the agent's own, as the JVM calls them in the order in which
 *    their environments were made: a transformer sees the class as it was woven. Each gets what the one before it gave.
 * 2. The class is defined as it was, and what the transformers gave is kept until the class is prepared, when none of
 *    its code has run: then it is retransformed. Classes that the JVM's verifier refuses there change nothing.
 * 3. The JVM exchanges code only. A class of another shape (instrument/agent/class_shape.py) is defined as the
 *    transformers gave it.
 * 4. Classes that are loaded already are retransformed when a script starts, and all that were changed once more when
 *    it ends.
 * A class that was changed has a tag; when it is retransformed for other reasons, it goes through the transformers
 * again.
 */
#include "../base/clock.h"
#include "events.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGED = 1 };

struct kept { /* what was made of a class */
    struct ch_key class, from; /* from: a hash of what it was made of */
    char *data;
    uint32_t bytes, handler;
    bool defined; /* it has another shape, and the JVM got it */
};

struct place {
    struct ch_keyed class;
    struct kept *kept;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CH_TABLE(struct place) all;
static jvmtiEnv *own;

/* The transformation that is tried on this thread. */
static __thread struct {
    jclass class;
    struct kept *made; /* what is tried; NULL: the transformers are yet to be asked */
} trial __attribute__((tls_model("initial-exec")));

/* A pattern that begins with a wildcard stays out of the classes of the boot loader. */
static bool applies(const struct ch_handler *h, jobject loader, const char *name) {
    return ch_load_relaxed(&h->on) && (!h->glob || ((loader || h->glob[0] != '*') && ch_glob(h->glob, name)));
}

static bool some_applies(jobject loader, const char *name) {
    struct ch_handler *h = ch_handlers_of(CH_EVENT_TRANSFORM);
    while (h && !applies(h, loader, name)) h = h->next;
    return h;
}

/* ---- classes on their way from the hook to the moment when they are prepared */

static struct ch_key hash_of(const void *data, size_t bytes) {
    return ch_hash_own((struct ch_key){2, bytes}, data, bytes);
}

/* Takes it from the table; `look`: only whether it is there, and was defined. */
static struct kept *find(struct ch_key class, bool look) {
    pthread_mutex_lock(&lock);
    struct place *at = ch_table_find_key(&all, &class);
    struct kept *found = at ? at->kept : NULL;
    if (found && !look) ch_table_remove(&all, at);
    if (found && look && !found->defined) found = NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

static void forget(struct kept *k) {
    if (k) free(k->data);
    free(k);
}

static void keep(struct kept *k) {
    forget(find(k->class, false)); /* of a thread that defined it at once, or failed to */
    pthread_mutex_lock(&lock);
    bool well = ch_table_add_key(&all, &(struct place){{.key = k->class}, k});
    pthread_mutex_unlock(&lock);
    if (!well) forget(k);
}

/* ---- the transformers */

/* The class that the transformers return; NULL: none. */
static char *ask(JNIEnv *env, jobject loader, const char *name, const unsigned char *data, uint32_t *bytes,
                 uint32_t *handler, bool *other_shape) {
    char *changed = NULL;
    for (struct ch_handler *h = ch_handlers_of(CH_EVENT_TRANSFORM); h; h = h->next) {
        if (!applies(h, loader, name)) continue;
        struct ch_call call = {.record = {.time = ch_about_now(), .name = ch_class_number(name)},
                               .env = env,
                               .subject = loader,
                               .data = changed ? (unsigned char *)changed : data,
                               .bytes = *bytes};
        ch_handler_notify(h, &call);
        if (!call.answer) continue;
        free(changed);
        changed = call.answer;
        *bytes = call.answer_bytes;
        *handler = ch_handler_number(h);
        *other_shape |= call.other_shape;
    }
    return changed;
}

static void give(jvmtiEnv *jvmti, const void *data, uint32_t bytes, jint *new_bytes, unsigned char **new_data) {
    unsigned char *to;
    if ((*jvmti)->Allocate(jvmti, bytes, &to)) return;
    memcpy(to, data, bytes);
    *new_data = to;
    *new_bytes = (jint)bytes;
}

static struct kept *made_of(jobject loader, const char *name, const void *from, size_t bytes, char *made,
                            uint32_t made_bytes, uint32_t handler) {
    struct kept *k = calloc(1, sizeof *k);
    if (k)
        *k = (struct kept){.class = ch_class_key(loader, name),
                           .from = hash_of(from, bytes),
                           .data = made,
                           .bytes = made_bytes,
                           .handler = handler};
    else
        free(made);
    return k;
}

/* A class that is there: changed before, or tried now. */
static void again(jvmtiEnv *jvmti, JNIEnv *env, jclass c, jobject loader, const char *name, const unsigned char *data,
                  jint bytes, jint *new_bytes, unsigned char **new_data) {
    jlong tag = 0;
    uint32_t n = (uint32_t)bytes, handler = 0;
    bool other_shape = false, tried = trial.class && (*env)->IsSameObject(env, trial.class, c);
    if (tried && trial.made && ch_same_key(trial.made->from, hash_of(data, n))) {
        give(jvmti, trial.made->data, trial.made->bytes, new_bytes, new_data);
        return;
    }
    (void)(*jvmti)->GetTag(jvmti, c, &tag);
    if (!tried && tag != CHANGED && !find(ch_class_key(loader, name), true)) return;
    char *changed = ask(env, loader, name, data, &n, &handler, &other_shape);
    if (changed) give(jvmti, changed, n, new_bytes, new_data);
    if (!tried) {
        free(changed);
        return;
    }
    forget(trial.made);
    trial.made = changed ? made_of(loader, name, data, (size_t)bytes, changed, n, handler) : NULL;
}

void JNICALL ch_transform_class(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                                jobject domain, jint bytes, const unsigned char *data, jint *new_bytes,
                                unsigned char **new_data) {
    uint32_t n = (uint32_t)bytes, handler = 0;
    bool other_shape = false;
    (void)domain;
    if (!ch_load_acquire(&ch_events_on) || !env || !name || ch_introducing || ch_is_tracker(NULL, name) ||
        !some_applies(loader, name))
        return;
    (void)ch_local_room(env, 64); /* -Xcheck:jni counts those of the thread's other frames, too */
    if (redefined) {
        again(jvmti, env, redefined, loader, name, data, bytes, new_bytes, new_data);
        return;
    }
    char *changed = ask(env, loader, name, data, &n, &handler, &other_shape);
    if (changed && n == (uint32_t)bytes && !memcmp(changed, data, n)) {
        free(changed);
        changed = NULL;
    }
    struct kept *k = changed ? made_of(loader, name, data, (size_t)bytes, changed, n, handler) : NULL;
    if (!k) return;
    k->defined = other_shape;
    /* also if it is as it was: the JVM keeps the bytes of classes that hooks changed, and makes up others if they are
     * retransformed */
    give(jvmti, other_shape ? (const void *)k->data : data, other_shape ? n : (uint32_t)bytes, new_bytes, new_data);
    keep(k);
}

/* ---- classes that are there */

static void refused(JNIEnv *env, jobject loader, const char *name, const struct kept *k, jvmtiError error) {
    char why[512];
    struct ch_call call = {.record = {.time = ch_about_now(), .name = ch_class_number(name)}, .env = env, .text = why};
    ch_refusal(env, loader, name, k->data, k->bytes, error, why, sizeof why);
    ch_handler_notify(&ch_handlers[k->handler], &call);
}

/* Retransforms it, to what was made of it, or what the transformers make of it now. */
static void try(JNIEnv *env, jclass c, jobject loader, const char *name, struct kept *made) {
    __typeof__(trial) before = trial; /* the JVM may load others to verify it */
    trial.class = c;
    trial.made = made;
    jvmtiError error = (*own)->RetransformClasses(own, 1, &c);
    made = trial.made;
    trial = before;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    if (made && error)
        refused(env, loader, name, made, error);
    else if (made)
        (void)(*own)->SetTag(own, c, CHANGED);
    forget(made);
}

void ch_transform_prepared(JNIEnv *env, jclass c, const char *name) {
    jobject loader = NULL;
    if (!ch_handler_exists(CH_EVENT_TRANSFORM) || (*ch_jvmti)->GetClassLoader(ch_jvmti, c, &loader)) return;
    struct kept *k = find(ch_class_key(loader, name), false);
    if (k && k->defined) (void)(*own)->SetTag(own, c, CHANGED);
    if (k && !k->defined)
        try(env, c, loader, name, k);
    else
        forget(k);
    if (loader) (*env)->DeleteLocalRef(env, loader);
}

static void try_loaded(JNIEnv *env, jclass c) {
    char name[1024];
    jobject loader = NULL;
    jint status = 0;
    jboolean may = JNI_FALSE;
    if ((*own)->GetClassStatus(own, c, &status) || !(status & JVMTI_CLASS_STATUS_PREPARED) ||
        !ch_name_of_class(c, name, sizeof name))
        return;
    if ((*own)->GetClassLoader(own, c, &loader)) return;
    if (some_applies(loader, name) && !ch_is_tracker(NULL, name) && !(*own)->IsModifiableClass(own, c, &may) && may)
        try(env, c, loader, name, NULL);
    if (loader) (*env)->DeleteLocalRef(env, loader);
}

void ch_transforms_start(JNIEnv *env, jvmtiEnv *events) {
    jclass *classes = NULL;
    jint n = 0;
    own = events;
    if (!ch_handler_exists(CH_EVENT_TRANSFORM) || (*own)->GetLoadedClasses(own, &n, &classes)) return;
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        try_loaded(env, classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*own)->Deallocate(own, (unsigned char *)classes);
}

static bool is_wanted(JNIEnv *env, jclass c) {
    char name[1024];
    jobject loader = NULL;
    if (!ch_name_of_class(c, name, sizeof name) || (*own)->GetClassLoader(own, c, &loader)) return false;
    bool found = some_applies(loader, name);
    if (loader) (*env)->DeleteLocalRef(env, loader);
    return found;
}

/* `wanted`: also those that a transformer applies to. */
static void undo(JNIEnv *env, bool wanted) {
    const jlong tag = CHANGED;
    jobject *classes = NULL;
    jint n = 0;
    if (!own || (*own)->GetObjectsWithTags(own, 1, &tag, &n, &classes, NULL)) return;
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        if (wanted || !is_wanted(env, classes[i])) {
            (void)(*own)->SetTag(own, classes[i], 0); /* else the hook, if it is on, would ask the transformers */
            (void)(*own)->RetransformClasses(own, 1, (jclass *)&classes[i]); /* what was defined so stays so */
        }
        if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*own)->Deallocate(own, (unsigned char *)classes);
}

void ch_transforms_undo(JNIEnv *env) { undo(env, true); }

void ch_transforms_renew(JNIEnv *env, jvmtiEnv *events) {
    ch_transforms_start(env, events);
    undo(env, false);
}
