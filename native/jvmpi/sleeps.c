/* Thread.sleep, which JVMTI has no event for: the JVM's own function for it, with one of ours around it. The JVM binds it when its first thread is made, and
 * asks then whether another one is to be bound (NativeMethodBind). So this is not possible after attaching. It stays; it looks whether it is asked for.
 */
#include "jvmpi.h"
#include <dlfcn.h>

typedef void(JNICALL *sleeper)(JNIEnv *env, jclass c, jlong time);

enum { IN_NS = 21 << 16 /* from JDK 21 on */, NS = 1000000 };

static sleeper before;
static void (*tell)(JNIEnv *env, bool ended, jlong ms);

static void JNICALL sleeping(JNIEnv *env, jclass c, jlong time) {
    tell(env, false, (*env)->GetVersion(env) >= IN_NS ? time / NS : time);
    before(env, c, time);
    jthrowable thrown = (*env)->ExceptionOccurred(env); /* it was interrupted */
    if (thrown) (*env)->ExceptionClear(env);
    tell(env, true, 0);
    if (thrown) (*env)->Throw(env, thrown);
}

/* The JVM's functions for it: one of them is there. */
static bool is_sleep(const void *address) {
    static const char *const names[] = {"JVM_Sleep", "JVM_SleepNanos"};
    Dl_info jvm;
    void *library = dladdr(*(void **)(uintptr_t)&(*ch_hub->vm)->GetEnv, &jvm) ? dlopen(jvm.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    bool found = false;
    for (int i = 0; library && i < 2; i++) found = found || (address && dlsym(library, names[i]) == address);
    if (library) dlclose(library);
    return found;
}

void ch_sleep_bound(void **instead) {
    if (before || !is_sleep(*instead)) return;
    *(void **)(uintptr_t)&before = *instead;
    *(sleeper *)instead = sleeping;
}

void ch_sleeps_tell(void (*to)(JNIEnv *env, bool ended, jlong ms)) { tell = to; }
