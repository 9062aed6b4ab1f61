/* Asks a class loader for the tracker, so that probes in its classes can resolve it later: see class_loaders.c. */
#include "../base/jdk_members.h"
#include "classes.h"
#include <stdio.h>
#include <string.h>

__thread bool ch_introducing;
static jclass tracker, loader_class;
static jstring tracker_name;
static jfieldID lock_map;
static jmethodID define, new_loader;

bool ch_loader_query_prepare(JNIEnv *env, jclass the_tracker) {
    return (tracker = (*env)->NewGlobalRef(env, the_tracker));
}

bool ch_loader_query_start(JNIEnv *env) {
    jstring name = (*env)->NewStringUTF(env, "java.lang.ClasshookTracker");
    tracker_name = name ? (*env)->NewGlobalRef(env, name) : NULL;
    if (!tracker_name) return false;
    lock_map = ch_jdk_field(env, CH_JDK_LOADER_LOCKS, NULL);
    define = lock_map ? ch_jdk_method(env, CH_JDK_DEFINE_CLASS, NULL) : NULL; /* in JDKs that have security managers */
    if (define) {
        jclass concrete = ch_boot_class(env, "java.security.SecureClassLoader");
        loader_class = concrete ? (*env)->NewGlobalRef(env, concrete) : NULL;
        new_loader = concrete ? (*env)->GetMethodID(env, concrete, "<init>", "(Ljava/lang/ClassLoader;)V") : NULL;
        if (!new_loader) define = NULL;
    }
    (*env)->ExceptionClear(env);
    return true;
}

bool ch_is_parallel(JNIEnv *env, jobject loader) {
    jobject locks = lock_map ? (*env)->GetObjectField(env, loader, lock_map) : NULL;
    if (locks) (*env)->DeleteLocalRef(env, locks);
    return locks;
}

/* ---- asking */

bool ch_name_of_class(jclass c, char *to, size_t size) {
    char *signature = NULL;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL) || !signature) return false;
    size_t n = strlen(signature);
    snprintf(to, size, "%.*s", n > 2 ? (int)n - 2 : 0, signature + 1); /* L...; */
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return true;
}

/* True if the loader finds the tracker. If not: `why`, and in `mishap` whether a later try may succeed. */
bool ch_query_loader(JNIEnv *env, jobject loader, char *why, size_t size, bool *mishap) {
    char thrown[256] = "another class", own[256] = "?";
    *mishap = false;
    if (!ch_local_frame(env, 16)) {
        *mishap = true;
        return false;
    }
    struct ch_silence silence = {NULL, NULL};
    ch_silence(env, &silence);
    jclass found = ch_class_for_name(env, tracker_name, loader);
    jthrowable error = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    ch_silence_end(env, &silence);
    bool yes = found && (*env)->IsSameObject(env, found, tracker);
    if (!yes) {
        ch_name_of_class((*env)->GetObjectClass(env, loader), own, sizeof own);
        if (error) ch_name_of_class((*env)->GetObjectClass(env, error), thrown, sizeof thrown);
        *mishap = error && strcmp(thrown, "java/lang/ClassNotFoundException") &&
                  strcmp(thrown, "java/lang/NoClassDefFoundError");
        snprintf(why, size, "%s does not find java.lang.ClasshookTracker: %s", own, thrown);
        for (char *c = why; *c; c++)
            if (*c == '/') *c = '.';
    }
    (*env)->PopLocalFrame(env, NULL);
    return yes;
}

/* Makes the JVM record that code of this protection domain may use the tracker: a temporary class of the domain asks
 * for it. The class gets a fresh loader of the JDK's, since classes of the boot loader have no domain. */
void ch_introduce(JNIEnv *env, jobject loader, jobject domain, int64_t number) {
    static const unsigned char caller[] = {
        0xCA, 0xFE, 0xBA, 0xBE, 0,   0, 0, 49, 0,    5, 1,  0,   15,  'C', 'l', 'a', 's', 's', 'h', 'o', 'o', 'k', 'C',
        'a',  'l',  'l',  'e',  'r', 7, 0, 1,  1,    0, 16, 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'O', 'b',
        'j',  'e',  'c',  't',  7,   0, 3, 0,  0x30, 0, 2,  0,   4,   0,   0,   0,   0,   0,   0,   0,   0,
    };
    jlong known = 0;
    if (!define || !domain) return;
    if (ch_is_parallel(env, loader) || !ch_local_frame(env, 16)) return;
    if (!(*ch_jvmti)->GetTag(ch_jvmti, domain, &known) && known != number) {
        jbyteArray bytes = (*env)->NewByteArray(env, sizeof caller);
        jstring name = (*env)->NewStringUTF(env, "ClasshookCaller");
        jobject own = (*env)->NewObject(env, loader_class, new_loader, NULL);
        ch_introducing = true;
        if (bytes && name && own) {
            (*env)->SetByteArrayRegion(env, bytes, 0, sizeof caller, (const jbyte *)caller);
            jclass c = (*env)->CallStaticObjectMethod(env, loader_class, define, own, name, bytes, 0,
                                                      (jint)sizeof caller, domain, NULL);
            if (!(*env)->ExceptionCheck(env)) ch_class_for_name_of(env, tracker_name, loader, c);
        }
        ch_introducing = false;
        (*env)->ExceptionClear(env);
        (*ch_jvmti)->SetTag(ch_jvmti, domain, number);
    }
    (*env)->PopLocalFrame(env, NULL);
}
