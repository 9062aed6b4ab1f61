/* Watches the program's static fields: which of them changed after initialisers had set them, they or an object that they
 * lead to.
 *
 * 1. A class is watched from the end of its initialiser on; without an initialiser, from its preparation on, when all its
 *    fields are null or 0. Each static field has a sum: its number, or the sum of its objects (object_graphs.c).
 * 2. Later, one sum of all fields tells whether any changed. Only then is each field compared; those that changed are
 *    noted, and watched no more.
 * 3. A change while an initialiser runs, even of another class's field, is noted with the initialiser's class, and the
 *    field is watched on.
 * 4. A field counts as changed if its objects cannot be followed. All fields do once comparing has taken too much time.
 */
#include "../classhook.h"
#include "embedded.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STATIC = 8, FINAL = 16, FRAMES = 8, SHARE = 5 }; /* a fifth of the time may be spent */
static const uint64_t least_ns = 2000000000; /* ... or this */
static const uint64_t most_ns = 1000000000; /* at once */

struct field {
    jweak class;
    jfieldID id;
    char *name; /* as in com/acme/Orders.open */
    char letter; /* of its descriptor */
    uint64_t sum;
};

struct task {
    JNIEnv *env;
    jclass prepared; /* a class that has just been prepared; NULL: the fields are compared */
    bool initialised; /* an initialiser ends on this thread */
    bool all; /* count all fields as changed, from now on */
};

static struct field *fields;
static size_t n, room;
static size_t settled; /* how many of them, from the first on, `together` is the sum of */
static uint64_t together;
static uint64_t began, spent; /* ns */
static bool gave_up;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- sums */

/* The class of a field, a local reference; NULL: it is gone. */
static jclass class_of(JNIEnv *env, const struct field *f) { return (*env)->NewLocalRef(env, f->class); }

static uint64_t number_in(JNIEnv *env, jclass c, const struct field *f) {
    jvalue v = {.j = 0};
    switch (f->letter) {
    case 'Z': v.z = (*env)->GetStaticBooleanField(env, c, f->id); break;
    case 'B': v.b = (*env)->GetStaticByteField(env, c, f->id); break;
    case 'C': v.c = (*env)->GetStaticCharField(env, c, f->id); break;
    case 'S': v.s = (*env)->GetStaticShortField(env, c, f->id); break;
    case 'I': v.i = (*env)->GetStaticIntField(env, c, f->id); break;
    case 'F': v.f = (*env)->GetStaticFloatField(env, c, f->id); break;
    case 'J': v.j = (*env)->GetStaticLongField(env, c, f->id); break;
    default: v.d = (*env)->GetStaticDoubleField(env, c, f->id); break;
    }
    return (uint64_t)v.j;
}

/* What a field refers to, a local reference; NULL: nothing, a number, or its class is gone. */
static jobject referred(JNIEnv *env, size_t i, const void *some) {
    const struct field *f = (const struct field *)some + i;
    jclass c = ch_refers(f->letter) ? class_of(env, f) : NULL;
    jobject value = c ? (*env)->GetStaticObjectField(env, c, f->id) : NULL;
    if (c) (*env)->DeleteLocalRef(env, c);
    return value;
}

/* The sum of these fields; false: it cannot be told. */
static bool sum_of(JNIEnv *env, const struct field *some, size_t count, uint64_t *sum) {
    uint64_t numbers = 0;
    for (size_t i = 0; i < count; i++) {
        jclass c = ch_refers(some[i].letter) ? NULL : class_of(env, &some[i]);
        if (c) numbers = (numbers ^ number_in(env, c, &some[i])) * 0x9E3779B97F4A7C15u;
        numbers ^= numbers >> 29;
        if (c) (*env)->DeleteLocalRef(env, c);
    }
    bool known = ch_graph_sum(env, referred, some, count, sum);
    *sum += numbers;
    return known;
}

/* ---- fields */

/* Says that a field has changed, and forgets it. */
static void drop(JNIEnv *env, struct field *f) {
    (*env)->DeleteWeakGlobalRef(env, f->class);
    if (f->name) ch_hub->state(CH_STATE_CHANGED, f->name);
    free(f->name);
}

static void add(JNIEnv *env, struct field f, bool has_value) {
    if (n == room) {
        struct field *more = realloc(fields, (room * 2 + 256) * sizeof *more);
        if (more) fields = more, room = room * 2 + 256;
    }
    if (n < room && f.name && (!has_value || sum_of(env, &f, 1, &f.sum)))
        fields[n++] = f;
    else
        drop(env, &f);
}

static char *joined(const char *first, char between, const char *second) {
    size_t bytes = strlen(first) + strlen(second) + 2;
    char *both = malloc(bytes);
    if (both) snprintf(both, bytes, "%s%c%s", first, between, second);
    return both;
}

/* Constants are not watched: numbers and texts that are final. */
static bool may_change(const char *signature, jint modifiers) {
    bool fixed = strchr("L[", *signature) == NULL || !strcmp(signature, "Ljava/lang/String;");
    return modifiers & STATIC && !(fixed && modifiers & FINAL);
}

static void add_fields(JNIEnv *env, jclass c, const char *class, bool has_values) {
    jvmtiEnv *jvmti = ch_hub->jvmti;
    jint count = 0, modifiers = 0;
    jfieldID *ids = NULL;
    if ((*jvmti)->GetClassFields(jvmti, c, &count, &ids)) return;
    for (jint i = 0; i < count; i++) {
        char *name = NULL, *signature = NULL;
        if ((*jvmti)->GetFieldName(jvmti, c, ids[i], &name, &signature, NULL)) continue;
        if (!(*jvmti)->GetFieldModifiers(jvmti, c, ids[i], &modifiers) && may_change(signature, modifiers))
            add(env, (struct field){(*env)->NewWeakGlobalRef(env, c), ids[i], joined(class, '.', name), *signature, 0},
                has_values);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)ids);
}

/* The class whose initialiser runs on this thread, the innermost one. */
static jclass initialised(void) {
    jvmtiEnv *jvmti = ch_hub->jvmti;
    jvmtiFrameInfo frames[FRAMES];
    jint count = 0;
    jclass found = NULL;
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, FRAMES, frames, &count)) return NULL;
    for (jint i = 0; i < count && !found; i++) {
        char *name = NULL;
        if ((*jvmti)->GetMethodName(jvmti, frames[i].method, &name, NULL, NULL)) continue;
        if (!strcmp(name, "<clinit>")) (void)(*jvmti)->GetMethodDeclaringClass(jvmti, frames[i].method, &found);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    }
    return found;
}

static void add_class(JNIEnv *env, jclass c, bool has_values) {
    char *signature = NULL;
    if (gave_up || (*ch_hub->jvmti)->GetClassSignature(ch_hub->jvmti, c, &signature, NULL)) return;
    if (!strchr(signature, '.')) { /* a hidden class has no name of its own */
        signature[strlen(signature) - 1] = 0;
        ch_hub->state(CH_STATE_WATCHED, signature + 1);
        add_fields(env, c, signature + 1, has_values);
    }
    (*ch_hub->jvmti)->Deallocate(ch_hub->jvmti, (unsigned char *)signature);
}

static bool has_initialiser(jclass c) {
    jvmtiEnv *jvmti = ch_hub->jvmti;
    jint count = 0;
    jmethodID *methods = NULL;
    bool has = false;
    if ((*jvmti)->GetClassMethods(jvmti, c, &count, &methods)) return true;
    for (jint i = 0; i < count && !has; i++) {
        char *name = NULL;
        if ((*jvmti)->GetMethodName(jvmti, methods[i], &name, NULL, NULL)) continue;
        has = !strcmp(name, "<clinit>");
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    return has;
}

/* ---- changes */

/* Notes that the initialiser of a class changed a field; false: that cannot be noted. */
static bool say_left(const struct field *f, jclass by) {
    jvmtiEnv *jvmti = ch_hub->jvmti;
    char *signature = NULL;
    if (!by || (*jvmti)->GetClassSignature(jvmti, by, &signature, NULL)) return false;
    char *text = joined(f->name, ';', signature + 1);
    if (text) text[strlen(text) - 1] = 0;
    if (text) ch_hub->state(CH_STATE_LEFT, text);
    free(text);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return text;
}

static void drop_all(JNIEnv *env) {
    while (n) drop(env, &fields[--n]);
    settled = 0;
}

/* Compares each field from the one at `from` on. `by`: the class whose initialiser has just run, if one has. */
static void compare_each(JNIEnv *env, size_t from, jclass by, uint64_t start_ns) {
    size_t kept = from;
    for (size_t i = from; i < n; i++) {
        struct field *f = &fields[i];
        uint64_t sum = 0;
        gave_up |= now() > start_ns + most_ns;
        if (!gave_up && sum_of(env, f, 1, &sum) && (sum == f->sum || say_left(f, by))) {
            f->sum = sum;
            fields[kept++] = *f;
        } else {
            drop(env, f);
        }
    }
    n = kept;
}

static void compare(JNIEnv *env, jclass by, uint64_t start_ns) {
    uint64_t sum;
    gave_up |= spent > least_ns && spent > (start_ns - began) / SHARE;
    bool same = !gave_up && sum_of(env, fields, settled, &sum) && sum == together;
    if (same && settled == n) return;
    if (!gave_up) compare_each(env, same ? settled : 0, by, start_ns);
    settled = n;
    if (gave_up || !sum_of(env, fields, n, &together)) drop_all(env);
}

/* ---- for Python */

static void work(void *argument) {
    struct task *task = argument;
    JNIEnv *env = task->env;
    uint64_t start = now();
    jclass c = task->initialised ? initialised() : NULL;
    pthread_mutex_lock(&turn);
    if (!began) began = start;
    gave_up |= task->all;
    if (!task->prepared)
        compare(env, c, start);
    else if (!has_initialiser(task->prepared))
        add_class(env, task->prepared, false);
    if (c) add_class(env, c, true);
    spent += now() - start;
    pthread_mutex_unlock(&turn);
    if (c) (*env)->DeleteLocalRef(env, c);
}

static PyObject *done(struct task task) {
    task.env = ch_env();
    if (!task.env) return NULL;
    if (ch_hub->may_collect()) ch_without_gil(work, &task);
    Py_RETURN_NONE;
}

/* state_prepared(event): of a class, in its handler. */
PyObject *ch_state_prepared(PyObject *self, PyObject *event) {
    Event *e = (Event *)event;
    (void)self;
    if (!PyObject_TypeCheck(event, &ch_event_type) || !ch_event_is_here(e) || !e->call->subject) Py_RETURN_NONE;
    return done((struct task){.prepared = e->call->subject});
}

PyObject *ch_state_initialised(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    return done((struct task){.initialised = true});
}

/* state_changed(all) */
PyObject *ch_state_changed(PyObject *self, PyObject *all) {
    (void)self;
    return done((struct task){.all = PyObject_IsTrue(all)});
}
