/* The JVM's environment: JVMTI, the raw monitor, classes of the boot loader. */
#ifndef CLASSHOOK_JVM_H
#define CLASSHOOK_JVM_H
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "local_references.h"

extern jvmtiEnv *ch_jvmti;
extern JavaVM *ch_vm;
extern int ch_jvm_version; /* feature release: 17, 21, 25 */
bool ch_jvm_start(JavaVM *vm, struct ch_error *error); /* false: this JVM cannot be instrumented */
/* before classes are looked for; not by FindClass, which uses a loader of the program */
bool ch_jvm_prepare(JNIEnv *env);
void ch_lock(void); /* the raw monitor: base.h says which locks are taken before it */
void ch_unlock(void);
bool ch_stay_loaded(void); /* this library is not unloaded any more */
void ch_jvm_property(const char *name, char *to, size_t room); /* does not change `to` if the property is not set */
/* the line of an instruction; 0: unknown; CH_NATIVE: it is a native method, which the JIT compiles, too */
uint32_t ch_line_of(jmethodID method, jlocation at);
bool ch_initialise(JNIEnv *env, const char *name); /* a class of the boot loader */
/* a class of the boot loader, by its name with dots; NULL if not found */
jclass ch_boot_class(JNIEnv *env, const char *name);
/* Calls the native behind Class.forName, so that no woven code runs except the loader's own. NULL and an exception if
 * not found. `caller`: the class that asks, or NULL. */
jclass ch_class_for_name_of(JNIEnv *env, jstring name, jobject loader, jclass caller);
static inline jclass ch_class_for_name(JNIEnv *env, jstring name, jobject loader) {
    return ch_class_for_name_of(env, name, loader, NULL);
}

/* ---- value_objects.c: objects without identity */
bool ch_values_start(JNIEnv *env); /* once there are classes; false: this JVM has none */
bool ch_has_values(void);
bool ch_is_value(JNIEnv *env, jobject object);
bool ch_is_value_class(jvmtiEnv *jvmti, jclass c);
void ch_values_sampled(jvmtiEnv *jvmti); /* its events tell of them when they are allocated, too */

/* ---- shutdown_hook.c: work at the end of Java's shutdown, after the program's own hooks, while the JVM can do
 * everything */
void ch_at_shutdown(JNIEnv *env, void (*work)(JNIEnv *env)); /* not at Runtime.halt */
void ch_end_work_begins(void); /* from now on, the JVM ends after a while even if the work does not */
void ch_end_work_done(void);
uint64_t ch_end_limit_ms(uint64_t usual); /* as CLASSHOOK_END_S says */
void ch_jvm_ends(void); /* VMDeath has come */
/* false: this JVM's collector has stopped; who asks it for a collection or a heap dump now waits for ever */
bool ch_may_collect(void);
#define CH_NO_COLLECTOR "the JVM ends, and its garbage collector has stopped"

#endif
