/* The JVM's environment, used by all layers. */
#include "base.h"
#include "jdk_members.h"
#include "jvm_facts.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

jvmtiEnv *ch_jvmti;
JavaVM *ch_vm;
int ch_jvm_version;
static jrawMonitorID monitor;

bool ch_stay_loaded(void) {
    static bool stays;
    Dl_info self;
    if (!stays)
        stays = dladdr((void *)(uintptr_t)ch_stay_loaded, &self) &&
                dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
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

uint32_t ch_line_of(jmethodID method, jlocation at) {
    jvmtiLineNumberEntry *table = NULL;
    jint n = 0;
    jvmtiError error = (*ch_jvmti)->GetLineNumberTable(ch_jvmti, method, &n, &table);
    if (error) return error == JVMTI_ERROR_NATIVE_METHOD ? CH_NATIVE : 0;
    jint line = ch_line_at(table, n, at < 0 ? 0 : at); /* -1: compiled code, before its first instruction */
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)table);
    return line < 0 ? 0 : (uint32_t)line;
}

bool ch_jvm_start(JavaVM *vm, struct ch_error *error) {
    char version[32] = "";
    if (ch_jvmti) return true;
    ch_vm = vm;
    if ((*vm)->GetEnv(vm, (void **)&ch_jvmti, JVMTI_VERSION_1_2))
        return ch_fail(error, "this JVM does not support JVMTI; it is not instrumented");
    ch_jvm_property("java.vm.specification.version", version, sizeof version);
    ch_jvm_version = atoi(version);
    if (ch_jvm_version < CH_JDK_OLDEST)
        return ch_fail(error, "this JVM is version %s, %d is the oldest that works; it is not instrumented", version,
                       CH_JDK_OLDEST);
    return ch_check(error, (*ch_jvmti)->CreateRawMonitor(ch_jvmti, "classhook registry", &monitor), "a raw monitor");
}
