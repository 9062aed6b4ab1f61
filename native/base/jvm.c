/* The JVM's environment, used by all layers. */
#include "base.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { OLDEST_JVM = 17 };

jvmtiEnv *ch_jvmti;
JavaVM *ch_vm;
int ch_jvm_version;
static jrawMonitorID monitor;
static jclass class_class;
static jmethodID for_name;

bool ch_stay_loaded(void) {
    static bool stays;
    Dl_info self;
    if (!stays) stays = dladdr((void *)(uintptr_t)ch_stay_loaded, &self) && dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    return stays;
}

void ch_lock(void) { (*ch_jvmti)->RawMonitorEnter(ch_jvmti, monitor); }
void ch_unlock(void) { (*ch_jvmti)->RawMonitorExit(ch_jvmti, monitor); }

void ch_jvm_property(const char *name, char *to, size_t room) {
    char *value = NULL;
    if ((*ch_jvmti)->GetSystemProperty(ch_jvmti, name, &value) || !value) return;
    snprintf(to, room, "%s", value);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)value);
}

bool ch_jvm_start(JavaVM *vm, struct ch_error *error) {
    char version[32] = "";
    if (ch_jvmti) return true;
    ch_vm = vm;
    if ((*vm)->GetEnv(vm, (void **)&ch_jvmti, JVMTI_VERSION_1_2)) return ch_fail(error, "this JVM does not support JVMTI; it is not instrumented");
    ch_jvm_property("java.vm.specification.version", version, sizeof version);
    ch_jvm_version = atoi(version);
    if (ch_jvm_version < OLDEST_JVM)
        return ch_fail(error, "this JVM is version %s, %d is the oldest that works; it is not instrumented", version, OLDEST_JVM);
    return ch_check(error, (*ch_jvmti)->CreateRawMonitor(ch_jvmti, "classhook registry", &monitor), "a raw monitor");
}

bool ch_jvm_prepare(JNIEnv *env, jclass any) {
    jclass c = (*env)->GetObjectClass(env, any);
    class_class = c ? (*env)->NewGlobalRef(env, c) : NULL;
    if (!class_class) return false;
    /* the last parameter, the caller, went with JDK 26; a surplus argument of a native call is not read */
    for_name = (*env)->GetStaticMethodID(env, class_class, "forName0", "(Ljava/lang/String;ZLjava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/Class;");
    if (!for_name) {
        (*env)->ExceptionClear(env);
        for_name = (*env)->GetStaticMethodID(env, class_class, "forName0", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    }
    return for_name;
}

jclass ch_class_for_name_of(JNIEnv *env, jstring name, jobject loader, jclass caller) {
    jclass found = (*env)->CallStaticObjectMethod(env, class_class, for_name, name, JNI_FALSE, loader, caller);
    return (*env)->ExceptionCheck(env) ? NULL : found;
}

bool ch_initialise(JNIEnv *env, const char *name) {
    jmethodID find = (*env)->GetStaticMethodID(env, class_class, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    jstring text = find ? (*env)->NewStringUTF(env, name) : NULL;
    jobject c = text ? (*env)->CallStaticObjectMethod(env, class_class, find, text, JNI_TRUE, NULL) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    bool done = c;
    if (c) (*env)->DeleteLocalRef(env, c);
    if (text) (*env)->DeleteLocalRef(env, text);
    return done;
}

jclass ch_boot_class(JNIEnv *env, const char *name) {
    jstring text = (*env)->NewStringUTF(env, name);
    jclass c = text ? ch_class_for_name(env, text, NULL) : NULL;
    (*env)->ExceptionClear(env);
    if (text) (*env)->DeleteLocalRef(env, text);
    return c;
}
