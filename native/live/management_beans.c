/* What the JVM's management beans do, by the natives behind them: diagnostic commands and heap dumps. No client has to attach for that. */
#include "live.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message of what was thrown becomes the error. */
static void take_message(JNIEnv *env, jthrowable thrown, struct ch_error *error) {
    jclass c = thrown ? ch_boot_class(env, "java.lang.Throwable") : NULL;
    jmethodID method = c ? (*env)->GetMethodID(env, c, "getMessage", "()Ljava/lang/String;") : NULL;
    jstring message = method ? (*env)->CallObjectMethod(env, thrown, method) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    const char *words = message ? (*env)->GetStringUTFChars(env, message, NULL) : NULL;
    ch_fail(error, "%s", words ? words : "the JVM refused");
    if (words) (*env)->ReleaseStringUTFChars(env, message, words);
}

struct native {
    const char *class_name, *method, *descriptor;
    const char *what; /* it is for */
};

/* Calls a native of a bean, whose first argument is a text; others are true. What it returned, a local reference, goes to `out`, if that is
 * wanted. The caller has a frame of local references. */
static bool call(JNIEnv *env, const struct native *n, const char *text, jobject *out, struct ch_error *error) {
    if (!ch_may_collect()) return ch_fail(error, CH_NO_COLLECTOR);
    bool loaded = ch_initialise(env, "com.sun.management.internal.PlatformMBeanProviderImpl"); /* loads the library with the natives */
    jclass c = loaded ? ch_boot_class(env, n->class_name) : NULL;
    jmethodID method = c ? (*env)->GetMethodID(env, c, n->method, n->descriptor) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    jobject bean = method ? (*env)->AllocObject(env, c) : NULL;
    jstring argument = bean ? (*env)->NewStringUTF(env, text) : NULL;
    if (!argument) return ch_fail(error, "this JVM has no %s: it lacks the module jdk.management", n->what);
    if (out)
        *out = (*env)->CallObjectMethod(env, bean, method, argument);
    else
        (*env)->CallVoidMethod(env, bean, method, argument, JNI_TRUE);
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    if (thrown) take_message(env, thrown, error);
    return !thrown;
}

char *ch_diagnostic(JNIEnv *env, const char *text, struct ch_error *error) {
    static const struct native run = {"com.sun.management.internal.DiagnosticCommandImpl", "executeDiagnosticCommand",
                                      "(Ljava/lang/String;)Ljava/lang/String;", "diagnostic commands"};
    char *copy = NULL;
    jobject result = NULL;
    if ((*env)->PushLocalFrame(env, 16)) {
        ch_fail(error, "no memory");
        return NULL;
    }
    bool well = call(env, &run, text, &result, error);
    const char *lines = result ? (*env)->GetStringUTFChars(env, result, NULL) : NULL;
    if (lines) {
        copy = strdup(lines);
        (*env)->ReleaseStringUTFChars(env, result, lines);
    }
    (*env)->PopLocalFrame(env, NULL);
    if (well && !copy) ch_fail(error, "no memory");
    return copy;
}

bool ch_heap_dump(JNIEnv *env, const char *path, struct ch_error *error) {
    static const struct native dump = {"com.sun.management.internal.HotSpotDiagnostic", "dumpHeap0", "(Ljava/lang/String;Z)V",
                                       "heap dumps"}; /* of what can be reached */
    if ((*env)->PushLocalFrame(env, 16)) return ch_fail(error, "no memory");
    bool well = call(env, &dump, path, NULL, error);
    (*env)->PopLocalFrame(env, NULL);
    return well;
}
