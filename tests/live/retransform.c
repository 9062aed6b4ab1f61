/* Retransforms a class, told as `LName; TIMES`, so often, without changing it. */
#include <jni.h>
#include <jvmti.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *told, void *reserved) {
    const jvmtiCapabilities wanted = {.can_retransform_classes = 1};
    jvmtiEnv *jvmti;
    jint classes = 0;
    jclass *all, found = NULL;
    char wanted_name[256], *name;
    int times;
    (void)reserved;
    if (sscanf(told, "%255s %d", wanted_name, &times) != 2) return 1;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) || (*jvmti)->AddCapabilities(jvmti, &wanted)) return 2;
    if ((*jvmti)->GetLoadedClasses(jvmti, &classes, &all)) return 3;
    for (jint i = 0; i < classes; i++) {
        if ((*jvmti)->GetClassSignature(jvmti, all[i], &name, NULL)) continue;
        if (!strcmp(name, wanted_name)) found = all[i];
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
    for (int i = 0; found && i < times; i++) {
        if ((*jvmti)->RetransformClasses(jvmti, 1, &found)) return 4;
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    (*jvmti)->DisposeEnvironment(jvmti);
    return found ? 0 : 5;
}
