/* Calls that stop all threads, and the JVM's end.
 *
 * If another agent has enabled ObjectFree, as debuggers do, HotSpot waits for these events at its end in a state in
 * which no safepoint can begin (objects/weak_references.c). If our agent asked for a safepoint then, the JVM would
 * never end: so from the end of Java's shutdown until VMDeath these calls wait. A safepoint that the program itself
 * needs at that time can still hang the JVM.
 */
#include "jvmpi.h"
#include <time.h>

enum { SHUTDOWN = 5 /* jdk.internal.misc.VM */, MOST_MS = 1000 };

static jclass vm_class;
static jfieldID level;

bool ch_ending_prepare(JNIEnv *env) {
    jclass c = ch_boot(env, "jdk.internal.misc.VM");
    if (c) vm_class = (*env)->NewGlobalRef(env, c);
    if (vm_class) level = (*env)->GetStaticFieldID(env, vm_class, "initLevel", "I");
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    return level;
}

bool ch_is_down(JNIEnv *env) { return env && level && (*env)->GetStaticIntField(env, vm_class, level) >= SHUTDOWN; }

bool ch_is_ending(JNIEnv *env) { return !ch_load_acquire(&ch_hub->dead) && ch_is_down(env); }

static void await(JNIEnv *env) {
    const struct timespec ms = {0, 1000000};
    for (int i = 0; i < MOST_MS && ch_is_ending(env); i++) nanosleep(&ms, NULL);
}

struct call {
    void (*work)(void *);
    void *argument;
};

static void run(void *argument) {
    struct call *c = argument;
    await(ch_here());
    c->work(c->argument);
}

void ch_in_jvm(void (*work)(void *), void *argument) {
    struct call c = {work, argument};
    ch_without_gil(run, &c);
}
