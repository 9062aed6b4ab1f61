/* The JVM's diagnostic commands, by the class behind its management bean: nobody has to attach for that. */
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
    snprintf(why, room, "%s", words ? words : "the JVM refused this command");
    if (words) (*env)->ReleaseStringUTFChars(env, message, words);
}

char *ch_diagnostic(JNIEnv *env, const char *text, char *why, size_t room) {
    char *copy = NULL;
    snprintf(why, room, "this JVM has no diagnostic commands: it lacks the module jdk.management");
    if ((*env)->PushLocalFrame(env, 16)) return NULL;
    bool loaded = ch_initialise(env, "com.sun.management.internal.PlatformMBeanProviderImpl"); /* loads the library with the native */
    jclass c = loaded ? ch_boot_class(env, "com.sun.management.internal.DiagnosticCommandImpl") : NULL;
    jmethodID run = c ? (*env)->GetMethodID(env, c, "executeDiagnosticCommand", "(Ljava/lang/String;)Ljava/lang/String;") : NULL;
    jobject bean = run ? (*env)->AllocObject(env, c) : NULL;
    jstring command = bean ? (*env)->NewStringUTF(env, text) : NULL, result = NULL;
    if (command) result = (*env)->CallObjectMethod(env, bean, run, command);
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    const char *lines = result && !thrown ? (*env)->GetStringUTFChars(env, result, NULL) : NULL;
    if (lines) {
        copy = strdup(lines);
        (*env)->ReleaseStringUTFChars(env, result, lines);
    } else if (command) {
        take_message(env, thrown, why, room);
    }
    (*env)->PopLocalFrame(env, NULL);
    return copy;
}
