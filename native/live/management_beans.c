/* Functions of the JVM's management beans, by the natives behind them: diagnostic commands and heap dumps. No client
 * has to attach for that. An image of jlink may lack them; then the JVM does the same by its attach protocol
 * (own_commands.c). */
#include "../base/jdk_members.h"
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

/* Loads the library with the natives, too. */
static bool is_there(JNIEnv *env) {
    return ch_initialise(env, "com.sun.management.internal.PlatformMBeanProviderImpl");
}

/* Calls a native of a bean, which is for `what`, whose first argument is a text; others are true. The result, a local
 * reference, goes to `out`, if that is wanted. The caller has a frame of local references. */
static bool call(JNIEnv *env, enum ch_jdk native, const char *what, const char *text, jobject *out,
                 struct ch_error *error) {
    jclass c = NULL;
    jmethodID method = ch_jdk_method(env, native, &c);
    jobject bean = method ? (*env)->AllocObject(env, c) : NULL;
    jstring argument = bean ? (*env)->NewStringUTF(env, text) : NULL;
    if (!argument) return ch_fail(error, "this JVM has no %s", what);
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
    char *copy = NULL;
    jobject result = NULL;
    if (!ch_may_collect() || !ch_local_frame(env, 16)) {
        ch_fail(error, ch_may_collect() ? "no memory" : CH_NO_COLLECTOR);
        return NULL;
    }
    if (!is_there(env)) {
        (*env)->PopLocalFrame(env, NULL);
        return ch_own_command("jcmd", text, "", error);
    }
    bool well = call(env, CH_JDK_DIAGNOSTIC_COMMAND, "diagnostic commands", text, &result, error);
    const char *lines = result ? (*env)->GetStringUTFChars(env, result, NULL) : NULL;
    if (lines) {
        copy = strdup(lines);
        (*env)->ReleaseStringUTFChars(env, result, lines);
    }
    (*env)->PopLocalFrame(env, NULL);
    if (well && !copy) ch_fail(error, "no memory");
    return copy;
}

/* HotSpot's status is 0 in any case. */
static bool dumped_by_itself(const char *path, struct ch_error *error) {
    char *said = ch_own_command("dumpheap", path, "-live", error);
    bool well = said && (strstr(said, "Heap dump file created") || ch_fail(error, "%s", said));
    free(said);
    return well;
}

bool ch_heap_dump(JNIEnv *env, const char *path, struct ch_error *error) {
    if (!ch_may_collect()) return ch_fail(error, CH_NO_COLLECTOR);
    if (!ch_local_frame(env, 16)) return ch_fail(error, "no memory");
    bool well = !is_there(env)
                    ? dumped_by_itself(path, error)
                    : call(env, CH_JDK_DUMP_HEAP, "heap dumps" /* of what can be reached */, path, NULL, error);
    (*env)->PopLocalFrame(env, NULL);
    return well;
}
