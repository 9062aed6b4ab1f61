/* Counts the bytecodes that the methods of some classes execute, one event each: those whose signature begins with the
 * agent's option. At the end it prints a line for each method that executed any. */
#include <jni.h>
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4096 };

static struct {
    jmethodID method;
    long bytecodes;
    int wanted;
    char name[512];
} methods[MOST];
static int count;
static const char *begin;
static jrawMonitorID lock;

static int found(jvmtiEnv *jvmti, jmethodID method) {
    for (int i = 0; i < count; i++)
        if (methods[i].method == method) return i;
    jclass cls;
    char *of, *name, *descriptor;
    if (count == MOST || (*jvmti)->GetMethodDeclaringClass(jvmti, method, &cls) ||
        (*jvmti)->GetClassSignature(jvmti, cls, &of, NULL) ||
        (*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL))
        return -1;
    methods[count].method = method;
    methods[count].wanted = strncmp(of, begin, strlen(begin)) == 0;
    snprintf(methods[count].name, sizeof methods[count].name, "%s %s %s", of, name, descriptor);
    return count++;
}

static void JNICALL stepped(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method, jlocation at) {
    (void)env, (void)thread, (void)at;
    if ((*jvmti)->RawMonitorEnter(jvmti, lock)) return;
    const int i = found(jvmti, method);
    if (i >= 0) methods[i].bytecodes++;
    (void)(*jvmti)->RawMonitorExit(jvmti, lock);
}

static void JNICALL initialised(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)env, (void)thread;
    (void)(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_SINGLE_STEP, NULL);
}

static void JNICALL died(jvmtiEnv *jvmti, JNIEnv *env) {
    (void)env;
    (void)(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_SINGLE_STEP, NULL);
    for (int i = 0; i < count; i++)
        if (methods[i].wanted) fprintf(stderr, "STEPS %s %ld\n", methods[i].name, methods[i].bytecodes);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    const jvmtiCapabilities wanted = {.can_generate_single_step_events = 1};
    const jvmtiEventCallbacks callbacks = {.SingleStep = stepped, .VMInit = initialised, .VMDeath = died};
    jvmtiEnv *jvmti;
    (void)reserved;
    begin = strdup(options);
    return (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) || (*jvmti)->AddCapabilities(jvmti, &wanted) ||
           (*jvmti)->CreateRawMonitor(jvmti, "steps", &lock) ||
           (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
           (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) ||
           (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
}
