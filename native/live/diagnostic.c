/* What the JVM's management beans do, by the natives behind them: diagnostic commands and heap dumps. Nobody has to attach for that. */
#include "live.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message of what was thrown, to `why`. */
static void take_message(JNIEnv *env, jthrowable thrown, char *why, size_t room) {
    jclass c = thrown ? ch_boot_class(env, "java.lang.Throwable") : NULL;
    jmethodID method = c ? (*env)->GetMethodID(env, c, "getMessage", "()Ljava/lang/String;") : NULL;
    jstring message = method ? (*env)->CallObjectMethod(env, thrown, method) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    const char *words = message ? (*env)->GetStringUTFChars(env, message, NULL) : NULL;
    snprintf(why, room, "%s", words ? words : "the JVM refused");
    if (words) (*env)->ReleaseStringUTFChars(env, message, words);
}

struct native {
    const char *class_name, *method, *descriptor;
    const char *what; /* it is for */
};

/* Calls a native of a bean, whose first argument is a text; others are true. What it returned, a local reference, goes to `out`, if that is
 * wanted; false: why not. The caller has a frame of local references. */
static bool call(JNIEnv *env, const struct native *n, const char *text, jobject *out, char *why, size_t room) {
    bool loaded = ch_initialise(env, "com.sun.management.internal.PlatformMBeanProviderImpl"); /* loads the library with the natives */
    jclass c = loaded ? ch_boot_class(env, n->class_name) : NULL;
    jmethodID method = c ? (*env)->GetMethodID(env, c, n->method, n->descriptor) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    jobject bean = method ? (*env)->AllocObject(env, c) : NULL;
    jstring argument = bean ? (*env)->NewStringUTF(env, text) : NULL;
    snprintf(why, room, "this JVM has no %s: it lacks the module jdk.management", n->what);
    if (!argument) return false;
    if (out)
        *out = (*env)->CallObjectMethod(env, bean, method, argument);
    else
        (*env)->CallVoidMethod(env, bean, method, argument, JNI_TRUE);
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    if (thrown) take_message(env, thrown, why, room);
    return !thrown;
}

char *ch_diagnostic(JNIEnv *env, const char *text, char *why, size_t room) {
    static const struct native run = {"com.sun.management.internal.DiagnosticCommandImpl", "executeDiagnosticCommand", "(Ljava/lang/String;)Ljava/lang/String;",
                                      "diagnostic commands"};
    char *copy = NULL;
    jobject result = NULL;
    snprintf(why, room, "no memory");
    if ((*env)->PushLocalFrame(env, 16)) return NULL;
    const char *lines = call(env, &run, text, &result, why, room) && result ? (*env)->GetStringUTFChars(env, result, NULL) : NULL;
    if (lines) {
        copy = strdup(lines);
        (*env)->ReleaseStringUTFChars(env, result, lines);
    }
    (*env)->PopLocalFrame(env, NULL);
    return copy;
}

bool ch_heap_dump(JNIEnv *env, const char *path, char *why, size_t room) {
    static const struct native dump = {"com.sun.management.internal.HotSpotDiagnostic", "dumpHeap0", "(Ljava/lang/String;Z)V", "heap dumps"}; /* of what can be reached */
    snprintf(why, room, "no memory");
    if ((*env)->PushLocalFrame(env, 16)) return false;
    bool well = call(env, &dump, path, NULL, why, room);
    (*env)->PopLocalFrame(env, NULL);
    return well;
}
