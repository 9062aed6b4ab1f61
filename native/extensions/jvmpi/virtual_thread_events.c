/* Virtual threads that start and end: THREAD_START and THREAD_END, if a script asks for them. The environment is apart,
 * since one that supports virtual threads gets their other events, too.
 */
#include "jvmpi.h"
#include <string.h>

/* Older headers do not have them. */
enum { FIRST_EVENT = 50, STARTS = 87, ENDS = 88, CALLBACKS = ENDS - FIRST_EVENT + 1, SUPPORT_VIRTUAL_THREADS = 44 };

static jvmtiEnv *own;
static void (*told)(JNIEnv *env, jthread thread, bool ends);

static void JNICALL starts(jvmtiEnv *e, JNIEnv *env, jthread thread) {
    (void)e;
    told(env, thread, false);
}

static void JNICALL ends(jvmtiEnv *e, JNIEnv *env, jthread thread) {
    (void)e;
    told(env, thread, true);
}

static bool prepare(void) {
    typedef void(JNICALL * callback)(jvmtiEnv *, JNIEnv *, jthread);
    callback callbacks[CALLBACKS] = {[STARTS - FIRST_EVENT] = starts, [ENDS - FIRST_EVENT] = ends};
    jvmtiCapabilities support = {0};
    jvmtiEnv *made = NULL;
    if (own) return true;
    ((unsigned char *)&support)[SUPPORT_VIRTUAL_THREADS / 8] |= 1u << SUPPORT_VIRTUAL_THREADS % 8;
    if ((*ch_hub->vm)->GetEnv(ch_hub->vm, (void **)&made, JVMTI_VERSION_1_2)) return false;
    if ((*made)->AddCapabilities(made, &support) ||
        (*made)->SetEventCallbacks(made, (const jvmtiEventCallbacks *)(const void *)callbacks, sizeof callbacks)) {
        (void)(*made)->DisposeEnvironment(made); /* it has enabled no event */
        return false;
    }
    own = made;
    return true;
}

bool ch_virtual_threads(bool of_ends, bool on, void (*tell)(JNIEnv *env, jthread thread, bool ends)) {
    if (!on && !own) return true;
    told = tell;
    return prepare() && !(*own)->SetEventNotificationMode(own, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                                          (jvmtiEvent)(of_ends ? ENDS : STARTS), NULL);
}
