/* The native methods of Natives.java: what they are given, and a few that do more. */
#include <jni.h>
#include <stdio.h>

#define SAME(type, name) \
    JNIEXPORT type JNICALL Java_Natives_##name(JNIEnv *env, jclass c, type value) { \
        (void)env, (void)c; \
        return value; \
    }
SAME(jboolean, flag)
SAME(jbyte, small)
SAME(jchar, letter)
SAME(jshort, brief)
SAME(jint, number)
SAME(jlong, wide)
SAME(jfloat, real)
SAME(jdouble, precise)
SAME(jstring, text)

JNIEXPORT void JNICALL Java_Natives_nothing(JNIEnv *env, jclass c) { (void)env, (void)c; }

JNIEXPORT jobject JNICALL Java_Natives_same(JNIEnv *env, jobject self, jint a) {
    (void)env;
    return a == 3 ? self : NULL;
}

JNIEXPORT jstring JNICALL Java_Natives_many(JNIEnv *env, jclass c, jint i, jlong j, jfloat f, jdouble d, jstring s,
                                            jbyte b, jshort h, jchar x, jboolean z, jintArray n, jlong k, jdouble e,
                                            jfloat g, jdouble d2, jfloat f2, jdouble d3, jfloat f3, jdouble d4,
                                            jfloat f4, jdouble d5, jint last) {
    char text[512];
    jint first;
    const char *word = (*env)->GetStringUTFChars(env, s, NULL);
    (void)c;
    (*env)->GetIntArrayRegion(env, n, 0, 1, &first);
    snprintf(text, sizeof text,
             "%d %lld %.1f %.1f %s %d %d %c %d %d %lld %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %d", i,
             (long long)j, f, d, word, b, h, x, z, first, (long long)k, e, g, d2, f2, d3, f3, d4, f4, d5, last);
    (*env)->ReleaseStringUTFChars(env, s, word);
    return (*env)->NewStringUTF(env, text);
}

JNIEXPORT jdouble JNICALL Java_Natives_floats(JNIEnv *env, jclass of, jfloat a, jdouble b, jfloat c, jdouble d,
                                              jfloat e, jdouble f, jfloat g, jdouble h, jfloat i, jdouble j, jint k) {
    (void)env, (void)of;
    return 1 * a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k;
}

JNIEXPORT void JNICALL Java_Natives_fails(JNIEnv *env, jclass c, jstring message) {
    jclass of = (*env)->FindClass(env, "java/lang/IllegalStateException");
    jmethodID make = (*env)->GetMethodID(env, of, "<init>", "(Ljava/lang/String;)V");
    (void)c;
    (*env)->Throw(env, (*env)->NewObject(env, of, make, message));
}

JNIEXPORT jint JNICALL Java_Natives_deep(JNIEnv *env, jclass c, jobject self, jint depth) {
    return (*env)->CallIntMethod(env, self, (*env)->GetMethodID(env, c, "back", "(I)I"), depth - 1);
}
