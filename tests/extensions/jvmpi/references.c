/* JNI code that makes references, and frees all but one of each kind. */
#include <jni.h>

JNIEXPORT void JNICALL Java_References_make(JNIEnv *env, jclass c, jobject object, jint n) {
    (void)c;
    for (jint i = 0; i < n; i++) {
        jobject strong = (*env)->NewGlobalRef(env, object);
        jweak weak = (*env)->NewWeakGlobalRef(env, object);
        if (!i) continue;
        (*env)->DeleteGlobalRef(env, strong);
        (*env)->DeleteWeakGlobalRef(env, weak);
    }
}
