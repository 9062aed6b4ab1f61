/* An agent whose native threads attach themselves to the JVM and detach again, as often as its options say; each time
 * Java makes a thread object. */
#include <jvmti.h>
#include <pthread.h>
#include <stdlib.h>

static JavaVM *jvm;
static int times;

static void *work(void *unused) {
    JNIEnv *env;
    (void)unused;
    for (int i = 0; i < times && !(*jvm)->AttachCurrentThreadAsDaemon(jvm, (void **)&env, NULL); i++)
        (*jvm)->DetachCurrentThread(jvm);
    return NULL;
}

static void JNICALL up(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    pthread_t made;
    (void)jvmti, (void)env, (void)thread;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&made, NULL, work, NULL)) abort();
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *jvmti;
    jvmtiEventCallbacks callbacks = {.VMInit = up};
    (void)reserved;
    jvm = vm;
    times = atoi(options);
    return (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) ||
           (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
           (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
}
