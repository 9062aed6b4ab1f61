/* Calls of the JDK's Unsafe. */
#ifndef CLASSHOOK_UNSAFE_H
#define CLASSHOOK_UNSAFE_H
#include <jni.h>
#include <stdbool.h>

bool ch_unsafe_may_store(JNIEnv *env); /* false: ch_unsafe_put_long must not be called */
/* in a field, which may be final; false: too little stack is left */
bool ch_unsafe_put_long(JNIEnv *env, jobject object, jlong offset, jlong value);
/* of an object's field, which the class itself declares; 0: not known */
jlong ch_unsafe_offset(JNIEnv *env, jclass c, const char *field);
/* whether the field holds a value object, and no reference to it (JEP 401) */
bool ch_unsafe_is_flat(JNIEnv *env, jclass c, jfieldID field);
jlong ch_unsafe_array_base(JNIEnv *env, jclass array); /* offset of the first element; 0: not known */

#endif
