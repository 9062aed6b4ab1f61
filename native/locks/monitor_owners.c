/* The owner of a monitor, asked only while no thread attaches itself to the JVM. From JDK 23 on, HotSpot's
 * GetObjectMonitorUsage crashes at a thread that is on its list and has no object yet: one that attaches, for instance
 * while its first allocation waits for a garbage collection. Each main thread does so when it ends (DestroyJavaVM).
 * Older JVMs do not look at such threads, and are left as they are.
 *
 * 1. The JVM's functions for attaching are ours, which count the threads in them. While there is one, nobody asks.
 * 2. A thread that attaches waits until those that have begun to ask are done. If one takes seconds, as a debugger has
 *    suspended it, nobody waits any more.
 * 3. Functions that call these go on to do so: DestroyJavaVM, calls from native code to Java. A thread that is attached
 *    already is not counted.
 * 4. Threads that were attaching when the functions became ours are not known: in a JVM that runs, nobody asks in the
 *    first second.
 * 5. Where another agent has replaced the functions after us, nobody asks.
 */
#include "locks.h"
#include <string.h>
#include <time.h>

enum { FIRST_UNSAFE = 23, LOOK_AGAIN = 50000 /* ns */, SECOND = 1000000000, MOST_LOOKS = SECOND / LOOK_AGAIN };

static const struct JNIInvokeInterface_ *theirs; /* NULL: this JVM may be asked at any time */
static struct JNIInvokeInterface_ ours;
static uint32_t attaching, asking; /* threads; each looks at the other one after it has counted itself */
static bool stuck; /* one of those who ask takes too long */
static uint64_t start_ns; /* nobody asks before that */

static uint32_t count(uint32_t *of) { return ch_load(of); }

static void wait_for_answers(void) {
    for (unsigned i = 0; count(&asking) && !ch_load_relaxed(&stuck); i++) {
        if (i == MOST_LOOKS) ch_store_relaxed(&stuck, true);
        nanosleep(&(struct timespec){0, LOOK_AGAIN}, NULL);
    }
}

static jint attach(jint(JNICALL *by)(JavaVM *, void **, void *), JavaVM *vm, void **env, void *args) {
    void *attached;
    if (theirs->GetEnv(vm, &attached, JNI_VERSION_1_8) == JNI_OK) return by(vm, env, args);
    ch_add(&attaching, 1);
    wait_for_answers();
    jint result = by(vm, env, args);
    ch_sub(&attaching, 1);
    return result;
}

static jint JNICALL attach_current(JavaVM *vm, void **env, void *args) {
    return attach(theirs->AttachCurrentThread, vm, env, args);
}
static jint JNICALL attach_daemon(JavaVM *vm, void **env, void *args) {
    return attach(theirs->AttachCurrentThreadAsDaemon, vm, env, args);
}

/* Other JVMs have more functions behind those of the specification. */
static bool is_hotspot(void) {
    char name[128] = "";
    ch_jvm_property("java.vm.name", name, sizeof name);
    return strstr(name, "HotSpot") || strstr(name, "OpenJDK");
}

void ch_owners_start(void) {
    jvmtiPhase phase = JVMTI_PHASE_LIVE;
    if (theirs || ch_jvm_version < FIRST_UNSAFE || !is_hotspot()) return;
    (void)(*ch_jvmti)->GetPhase(ch_jvmti, &phase);
    start_ns = phase == JVMTI_PHASE_ONLOAD ? 0 : ch_monotonic_ns() + SECOND;
    theirs = *ch_vm;
    ours = *theirs;
    ours.AttachCurrentThread = attach_current;
    ours.AttachCurrentThreadAsDaemon = attach_daemon;
    ch_store(ch_vm, &ours);
}

static bool nobody_attaches(void) {
    return !count(&attaching) && ch_load_relaxed(ch_vm) == &ours && (!start_ns || ch_monotonic_ns() >= start_ns);
}

jvmtiError ch_monitor_usage(jvmtiEnv *jvmti, jobject monitor, jvmtiMonitorUsage *usage) {
    jvmtiError error = JVMTI_ERROR_NOT_AVAILABLE;
    if (!theirs) return (*jvmti)->GetObjectMonitorUsage(jvmti, monitor, usage);
    if (!nobody_attaches()) return error; /* without counting, or they would wait for those that are refused */
    if (!ch_add(&asking, 1)) ch_store_relaxed(&stuck, false);
    if (nobody_attaches()) error = (*jvmti)->GetObjectMonitorUsage(jvmti, monitor, usage);
    ch_sub(&asking, 1);
    return error;
}
