/* Writes, when attached, the loaded classes with a hash of the bytecode of their methods to the file that it is
 * told. */
#include <jni.h>
#include <jvmti.h>
#include <stdio.h>

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *file, void *reserved) {
    const jvmtiCapabilities wanted = {.can_get_bytecodes = 1};
    jvmtiEnv *jvmti;
    jint classes = 0, methods = 0, bytes = 0, status = 0;
    jclass *all;
    jmethodID *of;
    char *name;
    unsigned char *code;
    FILE *out = fopen(file, "w");
    (void)reserved;
    if (!out || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) || (*jvmti)->AddCapabilities(jvmti, &wanted))
        return 1;
    if ((*jvmti)->GetLoadedClasses(jvmti, &classes, &all)) return 2;
    for (jint i = 0; i < classes; i++) {
        unsigned long long hash = 14695981039346656037u;
        if ((*jvmti)->GetClassStatus(jvmti, all[i], &status) || !(status & JVMTI_CLASS_STATUS_PREPARED)) continue;
        if ((*jvmti)->GetClassSignature(jvmti, all[i], &name, NULL) ||
            (*jvmti)->GetClassMethods(jvmti, all[i], &methods, &of))
            continue;
        for (jint m = 0; m < methods; m++) {
            if ((*jvmti)->GetBytecodes(jvmti, of[m], &bytes, &code)) continue; /* native or abstract */
            for (jint b = 0; b < bytes; b++) hash = (hash ^ code[b]) * 1099511628211u;
            (*jvmti)->Deallocate(jvmti, code);
        }
        fprintf(out, "%s %llx\n", name, hash);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)of);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
    (*jvmti)->DisposeEnvironment(jvmti);
    return fclose(out);
}
