/* `locks parks`: threads that park, as those do that wait for a lock of java.util.concurrent, and virtual threads that
 * keep their carrier meanwhile.
 *
 * 1. The JVM has no event for that. So the native Unsafe.park is replaced by one of ours, which notes when it begins
 *    and ends (contention.c) and calls the JVM's in between. It stays when the rule is gone, and does nothing then.
 * 2. Where the JVM's is, only its own table of Unsafe's natives says. So the JDK's method that registers them is called
 *    again, while the JNI function RegisterNatives is ours: it takes the address, and registers nothing but ours. The
 *    JVM warns of that unless the JDK's own code does it: the tracker calls that method, which is in java.base
 *    (native/tracker/Starting.java).
 * 3. A virtual thread that parks gets here only where it cannot leave its carrier.
 * 4. A thread's field parkBlocker is the object that it waits for. If that has an owner, it is a lock that another
 *    thread holds; otherwise the thread waits for something to happen. */
#include "../base/jdk_members.h"
#include "locks.h"
#include <string.h>

typedef void JNICALL park_function(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time);

static park_function *jvms; /* NULL: not replaced */
static const struct ch_park_listener *listener;
static bool wanted;
static jfieldID blocker_field, owner_field;
static jclass synchronizer;

static void JNICALL park(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time) {
    jthread thread = NULL;
    bool noted = false;
    if (ch_load_relaxed(&wanted) && !ch_self.silent && !(*ch_jvmti)->GetCurrentThread(ch_jvmti, &thread)) {
        jobject blocker = (*env)->GetObjectField(env, thread, blocker_field), owner = NULL;
        if (blocker && (*env)->IsInstanceOf(env, blocker, synchronizer))
            owner = (*env)->GetObjectField(env, blocker, owner_field);
        noted = listener->parks(env, thread, blocker, owner);
    }
    jvms(env, unsafe, absolute, time);
    if (noted) listener->parked(env, thread);
    if (thread) (*env)->DeleteLocalRef(env, thread);
}

/* ---- in the place of the JVM's */

static jniNativeInterface *functions; /* as they are */
static __thread bool looking;

static jint JNICALL register_natives(JNIEnv *env, jclass c, const JNINativeMethod *methods, jint n) {
    if (!looking) return functions->RegisterNatives(env, c, methods, n);
    for (jint i = 0; i < n; i++) {
        if (strcmp(methods[i].name, "park")) continue;
        jvms = (park_function *)(uintptr_t)methods[i].fnPtr;
        const JNINativeMethod ours = {methods[i].name, methods[i].signature, (void *)(uintptr_t)park};
        if (!functions->RegisterNatives(env, c, &ours, 1)) return JNI_OK;
        (*env)->ExceptionClear(env);
        jvms = NULL; /* and it stays the JVM's, which ends the process if it is told of a failure */
    }
    return JNI_OK;
}

/* Does what Method.invoke does, for a method that is not public. */
static bool invoke_by_tracker(JNIEnv *env, jclass c, jmethodID method) {
    jclass tracker = ch_boot_class(env, "java.lang.ClasshookTracker");
    jmethodID call =
        tracker ? (*env)->GetStaticMethodID(env, tracker, "invoke", "(Ljava/lang/reflect/Method;)V") : NULL;
    jfieldID override = call ? ch_jdk_field(env, CH_JDK_IS_ACCESSIBLE, NULL) : NULL;
    jobject reflected = override ? (*env)->ToReflectedMethod(env, c, method, JNI_TRUE) : NULL;
    if (!reflected) return false;
    (*env)->SetBooleanField(env, reflected, override, JNI_TRUE);
    (*env)->CallStaticVoidMethod(env, tracker, call, reflected);
    return !(*env)->ExceptionCheck(env);
}

static bool replace(JNIEnv *env) {
    jniNativeInterface *changed = NULL;
    jclass c, found;
    jmethodID again = ch_jdk_method(env, CH_JDK_UNSAFE_REGISTER, &c);
    blocker_field = again ? ch_jdk_field(env, CH_JDK_THREAD_PARK_BLOCKER, NULL) : NULL;
    owner_field = blocker_field ? ch_jdk_field(env, CH_JDK_SYNCHRONIZER_OWNER, &found) : NULL;
    if (!owner_field || !(synchronizer = (*env)->NewGlobalRef(env, found))) return false;
    if ((*ch_jvmti)->GetJNIFunctionTable(ch_jvmti, &functions) || (*ch_jvmti)->GetJNIFunctionTable(ch_jvmti, &changed))
        return false;
    changed->RegisterNatives = register_natives;
    looking = true;
    bool well = !(*ch_jvmti)->SetJNIFunctionTable(ch_jvmti, changed) && invoke_by_tracker(env, c, again);
    (*ch_jvmti)->SetJNIFunctionTable(ch_jvmti, functions);
    looking = false;
    /* `functions` stays: a thread may be on its way there */
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)changed);
    return well && jvms;
}

bool ch_parks_start(JNIEnv *env, const struct ch_park_listener *to) {
    listener = to;
    if (!ch_local_frame(env, 16)) return false;
    bool well = jvms || replace(env);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    ch_store_relaxed(&wanted, well);
    return well;
}

void ch_parks_stop(void) { ch_store_relaxed(&wanted, false); }
