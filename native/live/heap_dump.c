/* A heap dump by HotSpot itself, through the native behind its management bean: nobody has to attach for that. All threads stop meanwhile. */
#include "live.h"
#include <stdio.h>

/* The message of what was thrown, to `why`. */
static void take_message(JNIEnv *env, char *why, size_t room) {
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    jclass c = thrown ? ch_boot_class(env, "java.lang.Throwable") : NULL;
    jmethodID method = c ? (*env)->GetMethodID(env, c, "getMessage", "()Ljava/lang/String;") : NULL;
    jstring message = method ? (*env)->CallObjectMethod(env, thrown, method) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    const char *words = message ? (*env)->GetStringUTFChars(env, message, NULL) : NULL;
    snprintf(why, room, "%s", words ? words : "the JVM refused");
    if (words) (*env)->ReleaseStringUTFChars(env, message, words);
}

bool ch_heap_dump(JNIEnv *env, const char *path, char *why, size_t room) {
    snprintf(why, room, "this JVM has no heap dumps: it lacks the module jdk.management");
    if ((*env)->PushLocalFrame(env, 16)) return false;
    bool loaded = ch_initialise(env, "com.sun.management.internal.PlatformMBeanProviderImpl"); /* loads the library with the native */
    jclass c = loaded ? ch_boot_class(env, "com.sun.management.internal.HotSpotDiagnostic") : NULL;
    jmethodID dump = c ? (*env)->GetMethodID(env, c, "dumpHeap0", "(Ljava/lang/String;Z)V") : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    jobject bean = dump ? (*env)->AllocObject(env, c) : NULL;
    jstring name = bean ? (*env)->NewStringUTF(env, path) : NULL;
    if (name) (*env)->CallVoidMethod(env, bean, dump, name, JNI_TRUE); /* what can be reached */
    bool well = name && !(*env)->ExceptionCheck(env);
    if (name && !well) take_message(env, why, room);
    (*env)->PopLocalFrame(env, NULL);
    return well;
}
