/* Calls functions with many parameters by stubs (native/extensions/jvmpi/native_stubs.c), told and not told of them. */
#include "native_methods.h"
#include <stdio.h>

static double many(JNIEnv *env, jobject self, jfloat a, jdouble b, jlong i1, jint i2, jint i3, jlong i4, jlong i5,
                   jint i6, jint i7, jlong i8, jdouble d3, jdouble d4, jdouble d5, jdouble d6, jdouble d7, jdouble d8,
                   jdouble d9, jfloat d10, jint i9) {
    printf("%d %d %g %g %ld %d %d %ld %ld %d %d %ld %g %g %g %g %g %g %g %g %d\n", env == (JNIEnv *)16,
           self == (jobject)32, a, b, (long)i1, i2, i3, (long)i4, (long)i5, i6, i7, (long)i8, d3, d4, d5, d6, d7, d8,
           d9, d10, i9);
    return 42.5;
}

static jlong one(JNIEnv *env, jobject self, jlong a) {
    (void)env, (void)self;
    return a * 2;
}

static int told;
static const char *descriptor;
static void *function;

static struct ch_native_way enters(uint64_t number, JNIEnv *env, jobject self) {
    if (told) printf("enters %d %d %d\n", (int)number, env == (JNIEnv *)16, self == (jobject)32);
    return (struct ch_native_way){function, told ? (intptr_t)ch_native_words(descriptor) : -1};
}

static void leaves(uint64_t number, JNIEnv *env) { printf("leaves %d %d\n", (int)number, env == (JNIEnv *)16); }

int main(void) {
    ch_native_enters = enters;
    ch_native_leaves = leaves;
    for (told = 0; told < 2; told++) {
        descriptor = "(FDJIIJJIIJDDDDDDDFI)D";
        function = (void *)(uintptr_t)many;
        double (*f)(JNIEnv *, jobject, jfloat, jdouble, jlong, jint, jint, jlong, jlong, jint, jint, jlong, jdouble,
                    jdouble, jdouble, jdouble, jdouble, jdouble, jdouble, jfloat, jint) =
            ch_native_stub(CH_NATIVE_STUBS - 1);
        printf("%g\n",
               f((JNIEnv *)16, (jobject)32, 1.5f, 2.5, 1, -2, 3, 4, 5, 6, -7, 8, 3, 4, 5, 6, 7, 8, 9, 10.5f, -9));
        descriptor = "([[J)Ljava/lang/String;";
        function = (void *)(uintptr_t)one;
        jlong (*g)(JNIEnv *, jobject, jlong) = ch_native_stub(0);
        printf("%ld\n", (long)g((JNIEnv *)16, (jobject)32, (jlong)1 << 40));
    }
    return 0;
}
