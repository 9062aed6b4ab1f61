/* Why the JVM refuses a class: JVMTI has an error's name only, so the class is defined again in a loader of its own,
 * which nobody keeps, and linked there. Then there is an exception, with the verifier's words.
 */
#include "events.h"
#include <stdio.h>
#include <string.h>

/* The class and message of the exception, without the text after the first lines. */
static void words_of(JNIEnv *env, jthrowable thrown, char *why, size_t room) {
    char name[256] = "";
    jclass its = (*env)->GetObjectClass(env, thrown), throwable = ch_boot_class(env, "java.lang.Throwable");
    jmethodID get = throwable ? (*env)->GetMethodID(env, throwable, "getMessage", "()Ljava/lang/String;") : NULL;
    jstring message = get ? (*env)->CallObjectMethod(env, thrown, get) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    const char *text = message ? (*env)->GetStringUTFChars(env, message, NULL) : NULL;
    if (text && ch_name_of_class(its, name, sizeof name)) {
        static const char details[] = "\nException Details:\n  Location:\n";
        const char *simple = strrchr(name, '/'), *where = strstr(text, details),
                   *end = where ? where : text + strlen(text);
        int n = snprintf(why, room, "%s: %.*s", simple ? simple + 1 : name, (int)(end - text), text);
        const char *place = where ? where + sizeof details - 1 : "";
        if (where && n > 0 && (size_t)n < room)
            snprintf(why + n, room - (size_t)n, ": %.*s", (int)strcspn(place, "\n"), place);
    }
    if (text) (*env)->ReleaseStringUTFChars(env, message, text);
    char *to = why, last = ' '; /* in one line */
    for (const char *p = why; *p; p++) {
        char c = *p == '\n' || *p == '\t' ? ' ' : *p;
        if (c != ' ' || last != ' ') *to++ = c;
        last = c;
    }
    *to = 0;
}

/* Reflection links a class without initialising it. */
static void link(JNIEnv *env, jclass c) {
    jclass of_classes = ch_boot_class(env, "java.lang.Class");
    jmethodID get = of_classes ? (*env)->GetMethodID(env, of_classes, "getDeclaredConstructors",
                                                     "()[Ljava/lang/reflect/Constructor;")
                               : NULL;
    if (get) (void)(*env)->CallObjectMethod(env, c, get);
}

void ch_refusal(JNIEnv *env, jobject loader, const char *name, const char *data, uint32_t bytes, jvmtiError error,
                char *why, size_t room) {
    char *text = NULL;
    snprintf(why, room, "%s", (*ch_jvmti)->GetErrorName(ch_jvmti, error, &text) ? "an error" : text);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)text);
    if ((error != JVMTI_ERROR_FAILS_VERIFICATION && error != JVMTI_ERROR_INVALID_CLASS_FORMAT) ||
        !ch_local_frame(env, 32))
        return;
    ch_introducing = true;
    jclass loaders = ch_boot_class(env, "java.security.SecureClassLoader");
    jmethodID make = loaders ? (*env)->GetMethodID(env, loaders, "<init>", "(Ljava/lang/ClassLoader;)V") : NULL;
    jobject apart = make ? (*env)->NewObject(env, loaders, make, loader) : NULL;
    jclass c = apart ? (*env)->DefineClass(env, name, apart, (const jbyte *)data, (jsize)bytes) : NULL;
    if (c) link(env, c);
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    if (thrown) words_of(env, thrown, why, room);
    ch_introducing = false;
    (*env)->PopLocalFrame(env, NULL);
}
