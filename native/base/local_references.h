/* Room for local references. No exception is left where there is no memory for it. */
#ifndef CLASSHOOK_LOCAL_REFERENCES_H
#define CLASSHOOK_LOCAL_REFERENCES_H
#include <jni.h>
#include <stdbool.h>

/* Makes room for `n` more; HotSpot refuses numbers above MaxJNILocalCapacity. */
static inline bool ch_local_room(JNIEnv *env, jint n) {
    bool there = !(*env)->EnsureLocalCapacity(env, n);
    if (!there) (*env)->ExceptionClear(env);
    return there;
}

/* Begins a frame, which (*env)->PopLocalFrame ends; false: there is none. */
static inline bool ch_local_frame(JNIEnv *env, jint n) {
    bool there = !(*env)->PushLocalFrame(env, n);
    if (!there) (*env)->ExceptionClear(env);
    return there;
}
#endif
