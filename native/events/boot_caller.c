/* Work that the JVM takes for a boot class's own: it warns if other code exchanges a native method of its platform
 * classes, and prints a line. So a method of the tracker calls a native with a number that no probe has.
 */
#include "events.h"
#include "tracker_natives.h"

static __thread struct {
    void (*work)(JNIEnv *env, void *argument);
    void *argument;
} asked;

bool ch_as_boot_class(JNIEnv *env, void (*work)(JNIEnv *env, void *argument), void *argument) {
    jclass c = ch_boot_class(env, "java.lang.ClasshookTracker");
    jmethodID entered =
        c ? (*env)->GetStaticMethodID(env, c, "entered", "(ILjava/lang/Object;[Ljava/lang/Object;)V") : NULL;
    if (entered) {
        asked.work = work;
        asked.argument = argument;
        (*env)->CallStaticVoidMethod(env, c, entered, (jint)-1, NULL, NULL);
    }
    if (c) (*env)->DeleteLocalRef(env, c);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    bool done = entered && !asked.work;
    asked.work = NULL;
    return done;
}

void ch_boot_class_called(JNIEnv *env) {
    void (*work)(JNIEnv *, void *) = asked.work;
    asked.work = NULL;
    if (work) work(env, asked.argument);
}
