/* JVMPI's own environment of JVMTI, and what all of its files need of the JVM. */
#include "jvmpi.h"
#include <string.h>

jvmtiEnv *ch_jvmpi;

JNIEnv *ch_here(void) {
    JNIEnv *env = NULL;
    return ch_hub && !(*ch_hub->vm)->GetEnv(ch_hub->vm, (void **)&env, JNI_VERSION_1_8) ? env : NULL;
}

bool ch_is_foreign(void) {
    jvmtiPhase phase;
    if (!ch_hub || ch_here()) return false;
    return (*ch_hub->jvmti)->GetPhase(ch_hub->jvmti, &phase) || phase == JVMTI_PHASE_START ||
           phase == JVMTI_PHASE_LIVE || phase == JVMTI_PHASE_DEAD;
}

void ch_free(void *memory) {
    if (memory) (*ch_jvmpi)->Deallocate(ch_jvmpi, memory);
}

/* By Class.forName, found through the class of a class: FindClass would ask a loader of the program. */
jclass ch_boot(JNIEnv *env, const char *name) {
    jthread thread = NULL;
    jclass found = NULL;
    if ((*ch_jvmpi)->GetCurrentThread(ch_jvmpi, &thread) || !ch_local_frame(env, 8)) return NULL;
    jclass of = (*env)->GetObjectClass(env, (*env)->GetObjectClass(env, thread));
    jmethodID get =
        (*env)->GetStaticMethodID(env, of, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    jstring text = get ? (*env)->NewStringUTF(env, name) : NULL;
    if (text) found = (*env)->CallStaticObjectMethod(env, of, get, text, JNI_TRUE, NULL);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        found = NULL;
    }
    found = (*env)->PopLocalFrame(env, found);
    (*env)->DeleteLocalRef(env, thread);
    return found;
}

/* JVMTI's text, as Python's. */
PyObject *ch_text(char *text) {
    if (!text) return Py_NewRef(Py_None);
    PyObject *made = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    ch_free(text);
    return made;
}
