/* JNI's functions for global references, with one of ours around each: the JVM has no event for them. */
#include "jvmpi.h"
#include <string.h>

enum { FIRST = 38, STRONG_ALLOC = 38, STRONG_FREE, WEAK_ALLOC, WEAK_FREE };

static const struct JNINativeInterface_ *before; /* the JVM's own, or another agent's */
static bool on[4];

static void tell(JNIEnv *env, uint32_t type, jobject object, jobject reference) {
    if (!ch_load_relaxed(&on[type - FIRST]) || ch_jvmpi_quiet) return;
    struct ch_call call = {
        .record = {.more = {object ? ch_id(env, object) : 0, (uint64_t)(uintptr_t)reference, ch_id_own_thread()}},
        .env = env};
    ch_jvmpi_tell(&call, type, 'R');
}

static jobject JNICALL new_global(JNIEnv *env, jobject object) {
    jobject made = before->NewGlobalRef(env, object);
    if (made) tell(env, STRONG_ALLOC, made, made);
    return made;
}

static void JNICALL delete_global(JNIEnv *env, jobject reference) {
    if (reference) tell(env, STRONG_FREE, NULL, reference);
    before->DeleteGlobalRef(env, reference);
}

static jweak JNICALL new_weak(JNIEnv *env, jobject object) {
    jweak made = before->NewWeakGlobalRef(env, object);
    if (made) tell(env, WEAK_ALLOC, object, made);
    return made;
}

static void JNICALL delete_weak(JNIEnv *env, jweak reference) {
    if (reference) tell(env, WEAK_FREE, NULL, reference);
    before->DeleteWeakGlobalRef(env, reference);
}

bool ch_references(uint32_t type, bool wanted) {
    static bool there;
    jniNativeInterface *table = NULL, *ours = NULL; /* the JVM's may be larger than those of our header */
    ch_store_relaxed(&on[type - FIRST], wanted);
    if (there) return true; /* it stays: another agent may have put its own around it */
    if (!wanted) return true;
    if ((*ch_jvmpi)->GetJNIFunctionTable(ch_jvmpi, &table) || (*ch_jvmpi)->GetJNIFunctionTable(ch_jvmpi, &ours))
        return false; /* before the JVM is up */
    before = table; /* never freed */
    ours->NewGlobalRef = new_global;
    ours->DeleteGlobalRef = delete_global;
    ours->NewWeakGlobalRef = new_weak;
    ours->DeleteWeakGlobalRef = delete_weak;
    there = !(*ch_jvmpi)->SetJNIFunctionTable(ch_jvmpi, ours);
    ch_free(ours);
    return there;
}
