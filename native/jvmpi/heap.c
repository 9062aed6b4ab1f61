/* The heap as a whole: how many objects there are, and what is needed to find in the JVM's dump what has an id here. */
#include "jvmpi.h"

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

/* ---- what is known here */

/* class_names(): [(signature, id)] of all classes. */
PyObject *ch_class_names(PyObject *self, PyObject *unused) {
    JNIEnv *env = ch_here();
    jclass *classes = NULL;
    jint n = 0;
    PyObject *all = PyList_New(0);
    (void)self, (void)unused;
    if (!env || (*ch_jvmpi)->GetLoadedClasses(ch_jvmpi, &n, &classes)) n = 0;
    if (n) (*env)->EnsureLocalCapacity(env, n + 64);
    for (jint i = 0; i < n; i++) {
        char *signature = NULL;
        if (all && !(*ch_jvmpi)->GetClassSignature(ch_jvmpi, classes[i], &signature, NULL)) {
            PyObject *one = Py_BuildValue("(NK)", ch_text(signature), (unsigned long long)ch_id(env, classes[i]));
            if (one) PyList_Append(all, one);
            Py_XDECREF(one);
        }
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    ch_free(classes);
    return all;
}

/* thread_numbers(): [(Java's number, id)] of all threads. */
PyObject *ch_thread_numbers(PyObject *self, PyObject *unused) {
    JNIEnv *env = ch_here();
    jthread *threads = NULL;
    jint n = 0;
    PyObject *all = PyList_New(0);
    jfieldID number = NULL;
    (void)self, (void)unused;
    if (!env || (*ch_jvmpi)->GetAllThreads(ch_jvmpi, &n, &threads)) n = 0;
    if (n) (*env)->EnsureLocalCapacity(env, n + 64);
    for (jint i = 0; i < n; i++) {
        jclass c = (*env)->GetObjectClass(env, threads[i]); /* a field of a superclass is found, too */
        if (!number) number = (*env)->GetFieldID(env, c, "tid", "J");
        if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
        PyObject *one = number ? Py_BuildValue("(LK)", (long long)(*env)->GetLongField(env, threads[i], number), (unsigned long long)ch_id(env, threads[i])) : NULL;
        if (all && one) PyList_Append(all, one);
        Py_XDECREF(one);
        (*env)->DeleteLocalRef(env, c);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    ch_free(threads);
    return all;
}
