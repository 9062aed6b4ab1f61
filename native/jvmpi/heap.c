/* The heap as a whole: the JVM's own dump, by the native behind its management bean; and what is needed to find in it what has an id here. */
#include "jvmpi.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the dump */

struct dump {
    JNIEnv *env;
    const char *path;
    char why[256];
};

static void take_message(JNIEnv *env, char *why, size_t room) {
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    jclass c = thrown ? ch_boot(env, "java.lang.Throwable") : NULL;
    jmethodID get = c ? (*env)->GetMethodID(env, c, "getMessage", "()Ljava/lang/String;") : NULL;
    jstring message = get ? (*env)->CallObjectMethod(env, thrown, get) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    const char *words = message ? (*env)->GetStringUTFChars(env, message, NULL) : NULL;
    snprintf(why, room, "%s", words ? words : "the JVM refused");
    if (words) (*env)->ReleaseStringUTFChars(env, message, words);
}

static void dump(void *argument) {
    struct dump *d = argument;
    JNIEnv *env = d->env;
    snprintf(d->why, sizeof d->why, "this JVM has no heap dumps: it lacks the module jdk.management");
    if ((*env)->PushLocalFrame(env, 16)) return;
    jclass provider = ch_boot(env, "com.sun.management.internal.PlatformMBeanProviderImpl"); /* loads the library with the native */
    jclass c = provider ? ch_boot(env, "com.sun.management.internal.HotSpotDiagnostic") : NULL;
    jmethodID write = c ? (*env)->GetMethodID(env, c, "dumpHeap0", "(Ljava/lang/String;Z)V") : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    jobject bean = write ? (*env)->AllocObject(env, c) : NULL;
    jstring name = bean ? (*env)->NewStringUTF(env, d->path) : NULL;
    if (name) {
        (*env)->CallVoidMethod(env, bean, write, name, JNI_TRUE); /* what can be reached */
        d->why[0] = 0;
        if ((*env)->ExceptionCheck(env)) take_message(env, d->why, sizeof d->why);
    }
    (*env)->PopLocalFrame(env, NULL);
}

/* heap_file(path): None, or why there is none. */
PyObject *ch_heap_file(PyObject *self, PyObject *path) {
    struct dump d = {ch_here(), PyUnicode_AsUTF8(path), ""};
    (void)self;
    if (!d.path) return NULL;
    if (!d.env) return PyUnicode_FromString("this is none of Java's threads");
    ch_without_gil(dump, &d);
    return d.why[0] ? PyUnicode_FromString(d.why) : Py_NewRef(Py_None);
}

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
    if (ch_here()) ch_without_gil(count, &all);
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
