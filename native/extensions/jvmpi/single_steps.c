/* Instructions, one by one: INSTRUCTION_START. The JVM interprets a thread while it steps. The capability is only to be
 * had while the JVM starts, so a script asks for the event at its top level; until the JVM is up, nothing more is done.
 */
#include "jvmpi.h"

static jvmtiEnv *own;
static void (*told)(JNIEnv *env, jthread thread, jmethodID method, jlocation at);

static void JNICALL step(jvmtiEnv *e, JNIEnv *env, jthread thread, jmethodID method, jlocation at) {
    (void)e;
    if (!ch_hub->runs_handler()) told(env, thread, method, at);
}

static bool prepare(void) {
    static const jvmtiCapabilities wanted = {.can_generate_single_step_events = 1};
    static const jvmtiEventCallbacks callbacks = {.SingleStep = step};
    jvmtiEnv *made = NULL;
    if (own) return true;
    if ((*ch_hub->vm)->GetEnv(ch_hub->vm, (void **)&made, JVMTI_VERSION_1_2)) return false;
    if ((*made)->AddCapabilities(made, &wanted) || (*made)->SetEventCallbacks(made, &callbacks, sizeof callbacks)) {
        (void)(*made)->DisposeEnvironment(made); /* it has enabled no event */
        return false;
    }
    own = made;
    return true;
}

static bool set(jvmtiEventMode mode, jthread thread) {
    return !(*own)->SetEventNotificationMode(own, mode, JVMTI_EVENT_SINGLE_STEP, thread);
}

/* Stops the steps of all threads, also of those that were asked for one by one. */
static bool stop_all(JNIEnv *env) {
    jthread *threads = NULL;
    jint n = 0;
    bool well = set(JVMTI_DISABLE, NULL);
    if ((*own)->GetAllThreads(own, &n, &threads)) return false;
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        well &= set(JVMTI_DISABLE, threads[i]);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    ch_free(threads);
    return well;
}

bool ch_steps(bool on, uint64_t id, void (*tell)(JNIEnv *env, jthread thread, jmethodID method, jlocation at)) {
    JNIEnv *env = ch_here();
    if (!on && !own) return true;
    told = tell;
    if (!prepare()) return false;
    if (!env || (on && !id)) return !env || set(JVMTI_ENABLE, NULL);
    if (!id) return stop_all(env);
    jobject thread = ch_id_is_thread(id) ? ch_id_object(env, id) : NULL;
    bool well = thread && set(on ? JVMTI_ENABLE : JVMTI_DISABLE, thread);
    if (thread) (*env)->DeleteLocalRef(env, thread);
    return well;
}
