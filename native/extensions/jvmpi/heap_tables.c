/* The heap as a whole: how many objects there are, and which of them have which id.
 *
 * The JVM's dump has its own ids. So what has an id here is put into an array of Java's, with the ids in another one,
 * before the dump: who reads the dump finds both, and so the dump's ids of these objects. They begin with a number that
 * nothing else has.
 */
#include "jvmpi.h"
#include <stdlib.h>

/* ---- counting */

static jint JNICALL count_one(jlong class_tag, jlong size, jlong *tag, jint length, void *count) {
    (void)class_tag, (void)size, (void)tag, (void)length;
    ++*(uint64_t *)count;
    return JVMTI_VISIT_OBJECTS;
}

static void count(void *count) {
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = count_one};
    (void)(*ch_jvmpi)->IterateThroughHeap(ch_jvmpi, 0, NULL, &callbacks, count);
}

PyObject *ch_heap_count(PyObject *self, PyObject *unused) {
    uint64_t all = 0;
    (void)self, (void)unused;
    if (ch_here()) ch_in_jvm(count, &all);
    return PyLong_FromUnsignedLongLong(all);
}

/* ---- what has an id */

static jobject held;

struct hold {
    JNIEnv *env;
    jlong marker;
    jsize room, n; /* the first number is the marker */
    jlong *ids;
    jobjectArray objects;
    bool well;
};

static void add(JNIEnv *env, jobject object, uint64_t id, void *argument) {
    struct hold *h = argument;
    if (h->n == h->room || ch_id(env, object) != id) return;
    (*env)->SetObjectArrayElement(env, h->objects, h->n, object);
    h->ids[h->n++] = (jlong)id;
}

static void hold_in(struct hold *h, jclass object_class) {
    JNIEnv *env = h->env;
    h->ids[0] = h->marker;
    h->n = 1;
    h->objects = (*env)->NewObjectArray(env, h->room, object_class, NULL);
    jlongArray ids = h->objects ? (*env)->NewLongArray(env, h->room) : NULL;
    jobjectArray both = ids ? (*env)->NewObjectArray(env, 2, object_class, NULL) : NULL;
    if (!both || !ch_hub->each_watched(env, add, h)) return;
    (*env)->SetLongArrayRegion(env, ids, 0, h->room, h->ids);
    (*env)->SetObjectArrayElement(env, both, 0, h->objects);
    (*env)->SetObjectArrayElement(env, both, 1, ids);
    bool before = ch_jvmpi_quiet;
    ch_jvmpi_quiet = true;
    held = (*env)->NewGlobalRef(env, both);
    ch_jvmpi_quiet = before;
    h->well = held;
}

static void hold(void *argument) {
    enum { MORE = 1024 }; /* what gets an id meanwhile */
    struct hold *h = argument;
    JNIEnv *env = h->env;
    if (!ch_local_frame(env, 16)) return;
    if (ch_hub->may_collect())
        (void)(*ch_jvmpi)->ForceGarbageCollection(ch_jvmpi); /* or the array would keep what is garbage */
    jclass object_class = ch_boot(env, "java.lang.Object");
    h->room = (jsize)ch_hub->watched() + MORE;
    h->ids = object_class && h->room > 0 ? calloc((size_t)h->room, sizeof *h->ids) : NULL;
    if (h->ids) hold_in(h, object_class);
    free(h->ids);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env); /* no memory */
    (*env)->PopLocalFrame(env, NULL);
}

/* hold_known(marker): how long the arrays are; None: there is no room for them, or too much to do. */
PyObject *ch_hold_known(PyObject *self, PyObject *marker) {
    struct hold h = {.env = ch_here(), .marker = (jlong)ch_id_given(marker)};
    (void)self;
    if (!h.env || held) Py_RETURN_NONE;
    ch_in_jvm(hold, &h);
    if (!h.well) Py_RETURN_NONE;
    return PyLong_FromLong(h.room);
}

PyObject *ch_drop_known(PyObject *self, PyObject *unused) {
    JNIEnv *env = ch_here();
    bool before = ch_jvmpi_quiet;
    (void)self, (void)unused;
    ch_jvmpi_quiet = true;
    if (env && held) (*env)->DeleteGlobalRef(env, held);
    ch_jvmpi_quiet = before;
    held = NULL;
    Py_RETURN_NONE;
}
