/* Thread.sleep, which JVMTI has no event for: the JVM's own function for it, with one of ours around it.
 *
 * 1. The JVM binds it when its first thread is made, and asks then whether another one is to be bound
 *    (NativeMethodBind). Ours stays; it looks whether it is asked for.
 * 2. When the program runs, ours is registered, and the JVM's own again when nobody asks for it any more. Threads that
 *    sleep then end it in ours.
 */
#include "jvmpi.h"
#include <dlfcn.h>
#include <string.h>

typedef void(JNICALL *sleeper)(JNIEnv *env, jclass c, jlong time);

enum { IN_NS = 21 << 16 /* from JDK 21 on */, NS = 1000000 };

static sleeper before;
static bool registered, at_start;
static void (*tell)(JNIEnv *env, bool ended, jlong ms);

static void JNICALL sleeping(JNIEnv *env, jclass c, jlong time) {
    tell(env, false, (*env)->GetVersion(env) >= IN_NS ? time / NS : time);
    before(env, c, time);
    jthrowable thrown = (*env)->ExceptionOccurred(env); /* it was interrupted */
    if (thrown) (*env)->ExceptionClear(env);
    tell(env, true, 0);
    if (thrown) (*env)->Throw(env, thrown);
}

/* The JVM's function for it: one of them is there. */
static void *find(void) {
    static const char *const names[] = {"JVM_Sleep", "JVM_SleepNanos"};
    Dl_info jvm;
    void *library = dladdr(*(void **)(uintptr_t)&(*ch_hub->vm)->GetEnv, &jvm)
                        ? dlopen(jvm.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                        : NULL;
    void *found = NULL;
    for (int i = 0; library && !found && i < 2; i++) found = dlsym(library, names[i]);
    if (library) dlclose(library);
    return found;
}

void ch_sleep_bound(void **instead) {
    if (before || *instead != find()) return;
    *(void **)(uintptr_t)&before = *instead;
    *(sleeper *)instead = sleeping;
    at_start = true;
}

/* ---- while the program runs */

/* Thread's native method for it, whatever its name is. */
static bool is_method(jmethodID method, JNINativeMethod *found) {
    jboolean native = JNI_FALSE;
    if ((*ch_jvmpi)->IsMethodNative(ch_jvmpi, method, &native) || !native ||
        (*ch_jvmpi)->GetMethodName(ch_jvmpi, method, &found->name, &found->signature, NULL))
        return false;
    if (!strncmp(found->name, "sleep", 5) && !strcmp(found->signature, "(J)V")) return true;
    ch_free(found->name);
    ch_free(found->signature);
    return false;
}

static void bind(JNIEnv *env, void *function) {
    jclass c = ch_boot(env, "java.lang.Thread");
    jmethodID *methods = NULL;
    jint n = 0, i = 0;
    JNINativeMethod sleep = {NULL, NULL, function};
    if (!c || (*ch_jvmpi)->GetClassMethods(ch_jvmpi, c, &n, &methods)) return;
    while (i < n && !is_method(methods[i], &sleep)) i++;
    if (i < n && !(*env)->RegisterNatives(env, c, &sleep, 1))
        ch_store_relaxed(&registered, function != (void *)(uintptr_t)before);
    if (i < n) ch_free(sleep.name);
    if (i < n) ch_free(sleep.signature);
    ch_free(methods);
    (*env)->DeleteLocalRef(env, c);
}

void ch_sleeps_wanted(bool wanted) {
    JNIEnv *env = ch_here();
    if (!env || at_start || ch_is_down(env)) return;
    if (!before) *(void **)(uintptr_t)&before = find();
    if (before && wanted != ch_load_relaxed(&registered))
        (void)ch_hub->as_boot_class(env, bind, (void *)(uintptr_t)(wanted ? sleeping : before));
}

void ch_sleeps_tell(void (*to)(JNIEnv *env, bool ended, jlong ms)) { tell = to; }
