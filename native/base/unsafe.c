/* Calls of the JDK's Unsafe: natives of the JVM, which run no Java: stores in fields that may
 * be final, and the places of fields and elements.
 */
#include "base.h"
#include "jdk_members.h"
#include "unsafe.h"

static jobject unsafe;
static jmethodID put_long, offset_of, is_flat;
static jmethodID base_of;

/* Once; threads that come at the same time find the same. */
static bool is_ready(JNIEnv *env) {
    if (ch_load_acquire(&unsafe)) return true;
    jclass c = NULL;
    jmethodID get = ch_jdk_method(env, CH_JDK_GET_UNSAFE, &c);
    jobject found = get ? (*env)->CallStaticObjectMethod(env, c, get) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    put_long = ch_jdk_method(env, CH_JDK_PUT_LONG, NULL);
    offset_of = ch_jdk_method(env, CH_JDK_FIELD_OFFSET, NULL);
    base_of = ch_jdk_method(env, CH_JDK_ARRAY_BASE, NULL);
    is_flat = ch_jdk_method(env, CH_JDK_IS_FLAT_FIELD, NULL);
    if (found) ch_store_release(&unsafe, (*env)->NewGlobalRef(env, found));
    if (found) (*env)->DeleteLocalRef(env, found);
    if (c) (*env)->DeleteLocalRef(env, c);
    return unsafe;
}

bool ch_unsafe_may_store(JNIEnv *env) { return is_ready(env) && put_long; }

/* An exception of the program may be on its way. */
bool ch_unsafe_put_long(JNIEnv *env, jobject object, jlong offset, jlong value) {
    jthrowable thrown = (*env)->ExceptionCheck(env) ? (*env)->ExceptionOccurred(env) : NULL;
    if (thrown) (*env)->ExceptionClear(env);
    (*env)->CallVoidMethod(env, unsafe, put_long, object, offset, value);
    bool done = !(*env)->ExceptionCheck(env);
    if (!done) (*env)->ExceptionClear(env);
    if (!thrown) return done;
    (*env)->Throw(env, thrown);
    (*env)->DeleteLocalRef(env, thrown);
    return done;
}

jlong ch_unsafe_offset(JNIEnv *env, jclass c, const char *field) {
    jstring name = is_ready(env) && offset_of ? (*env)->NewStringUTF(env, field) : NULL;
    jlong offset = name ? (*env)->CallLongMethod(env, unsafe, offset_of, c, name) : 0;
    if (name) (*env)->DeleteLocalRef(env, name);
    bool failed = (*env)->ExceptionCheck(env);
    if (failed) (*env)->ExceptionClear(env);
    return failed || offset < 0 ? 0 : offset;
}

bool ch_unsafe_is_flat(JNIEnv *env, jclass c, jfieldID field) {
    if (!is_ready(env) || !is_flat) return false; /* no value classes in this JDK */
    jobject reflected = (*env)->ToReflectedField(env, c, field, JNI_FALSE);
    bool yes = !reflected || (*env)->CallBooleanMethod(env, unsafe, is_flat, reflected);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env); /* for want of memory: then the answer does not matter */
    if (reflected) (*env)->DeleteLocalRef(env, reflected);
    return yes;
}

jlong ch_unsafe_array_base(JNIEnv *env, jclass array) {
    return is_ready(env) && base_of ? (*env)->CallIntMethod(env, unsafe, base_of, array) : 0;
}
