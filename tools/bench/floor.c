/* What a timed call cannot do without: a call of a native method, and a reading of the processor's counter. */
#include <jni.h>
#include "clock.h"

static __thread uint64_t last;

JNIEXPORT jint JNICALL Java_Floor_nothing(JNIEnv *env, jclass c, jint i) {
    (void)env, (void)c;
    return i;
}

/* for a downcall of java.lang.foreign */
JNIEXPORT jint ch_reading(jint i) {
    last = ch_ticks();
    return i;
}

JNIEXPORT jint JNICALL Java_Floor_reading(JNIEnv *env, jclass c, jint i) {
    (void)env, (void)c;
    return ch_reading(i);
}
