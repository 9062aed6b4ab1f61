/* An agent that has the samples of allocations, which only one agent can have. */
#include <jvmti.h>

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *jvmti;
    jvmtiCapabilities wanted = {.can_generate_sampled_object_alloc_events = 1};
    (void)options, (void)reserved;
    return (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) || (*jvmti)->AddCapabilities(jvmti, &wanted);
}
