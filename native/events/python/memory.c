/* How much of the heap is used: by Runtime, so Java runs. */
#include "python.h"

struct memory {
    JNIEnv *env;
    jlong total, free;
};

static void measure(void *argument) {
    struct memory *m = argument;
    JNIEnv *env = m->env;
    jclass c = (*env)->FindClass(env, "java/lang/Runtime");
    jmethodID get = c ? (*env)->GetStaticMethodID(env, c, "getRuntime", "()Ljava/lang/Runtime;") : NULL;
    jobject runtime = get ? (*env)->CallStaticObjectMethod(env, c, get) : NULL;
    if (runtime) {
        m->total = (*env)->CallLongMethod(env, runtime, (*env)->GetMethodID(env, c, "totalMemory", "()J"));
        m->free = (*env)->CallLongMethod(env, runtime, (*env)->GetMethodID(env, c, "freeMemory", "()J"));
    }
    (*env)->ExceptionClear(env);
    if (runtime) (*env)->DeleteLocalRef(env, runtime);
    if (c) (*env)->DeleteLocalRef(env, c);
}

PyObject *ch_memory(PyObject *self, PyObject *unused) {
    struct memory m = {ch_env(), 0, 0};
    (void)self, (void)unused;
    if (!m.env) return NULL;
    ch_without_gil(measure, &m);
    return Py_BuildValue("(LL)", (long long)(m.total - m.free), (long long)m.total);
}
