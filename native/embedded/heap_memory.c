/* The used bytes of the heap: by Runtime, so Java runs. */
#include "embedded.h"

struct memory {
    JNIEnv *env;
    jlong total, free;
};

static jlong ask(JNIEnv *env, jclass c, jobject runtime, const char *name) {
    jmethodID m = (*env)->GetMethodID(env, c, name, "()J");
    jlong bytes = m ? (*env)->CallLongMethod(env, runtime, m) : 0;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    return bytes;
}

static void measure(void *argument) {
    struct memory *m = argument;
    JNIEnv *env = m->env;
    jclass c = (*env)->FindClass(env, "java/lang/Runtime");
    jmethodID get = c ? (*env)->GetStaticMethodID(env, c, "getRuntime", "()Ljava/lang/Runtime;") : NULL;
    jobject runtime = get ? (*env)->CallStaticObjectMethod(env, c, get) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    if (runtime) {
        m->total = ask(env, c, runtime, "totalMemory");
        m->free = ask(env, c, runtime, "freeMemory");
        (*env)->DeleteLocalRef(env, runtime);
    }
    if (c) (*env)->DeleteLocalRef(env, c);
}

PyObject *ch_memory(PyObject *self, PyObject *unused) {
    struct memory m = {ch_env(), 0, 0};
    (void)self, (void)unused;
    if (!m.env) return NULL;
    ch_without_gil(measure, &m);
    return Py_BuildValue("(LL)", (long long)(m.total - m.free), (long long)m.total);
}
