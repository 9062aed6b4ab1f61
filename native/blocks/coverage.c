/* Coverage: a byte for each probe in the data file, 1 once the probe was hit. The tracker sets them; a crash loses
 * none. In front of the bytes are arrays of the JVM's, in which the tracker looks first
 * (native/tracker/Coverage.java).
 */
#include "call_tree.h"
#include "tracker_natives.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct ch_region hits;

bool ch_coverage_start(void) { return ch_region_open(&hits, CH_COVER, 0, ch_room.slots, 0); }

/* Clears the tracker's array, which probes check first. The JIT treats elements that are set as constants, but only
 * where a probe's number is a constant, too: in woven methods. The last session's end has retransformed these, except
 * for classes woven ahead of time, which are retransformed when this session begins. */
static void forget_seen(JNIEnv *env) {
    static const jbyte none[4096];
    jclass tracker = ch_boot_class(env, "java.lang.ClasshookTracker");
    jfieldID field = tracker ? (*env)->GetStaticFieldID(env, tracker, "SEEN", "[[B") : NULL;
    jobjectArray parts = field ? (*env)->GetStaticObjectField(env, tracker, field) : NULL;
    for (jsize i = parts ? (*env)->GetArrayLength(env, parts) : 0; i-- > 0;) {
        jbyteArray part = (*env)->GetObjectArrayElement(env, parts, i);
        jsize bytes = part ? (*env)->GetArrayLength(env, part) : 0;
        for (jsize at = 0; at < bytes; at += (jsize)sizeof none)
            (*env)->SetByteArrayRegion(env, part, at, bytes - at < (jsize)sizeof none ? bytes - at : (jsize)sizeof none,
                                       none);
        if (part) (*env)->DeleteLocalRef(env, part);
    }
    if (parts) (*env)->DeleteLocalRef(env, parts);
    if (tracker) (*env)->DeleteLocalRef(env, tracker);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
}

/* At another session's begin, the hits of earlier ones go. The bytes are cleared first: a probe that is hit in between
 * is seen again. */
static void forget(JNIEnv *env) {
    if (madvise(hits.base, hits.bytes, MADV_REMOVE)) memset(hits.base, 0, ch_header->slots_used);
    forget_seen(env);
}

bool ch_coverage_unnumbered_hit(void) {
    unsigned char resident[CH_UNNUMBERED_SLOTS / 4096];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uint8_t *start = hits.base + ch_room.slots - CH_UNNUMBERED_SLOTS;
    if (mincore((void *)(uintptr_t)start, CH_UNNUMBERED_SLOTS, resident))
        return false; /* reading a page could allocate it */
    for (size_t i = 0; i < CH_UNNUMBERED_SLOTS; i++)
        if (resident[i / page] & 1 && start[i]) return true;
    return false;
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_coverBase(JNIEnv *env, jclass c) {
    (void)env, (void)c;
    return (jlong)(uintptr_t)hits.base;
}

const struct ch_measure ch_measure_coverage = {.name = "cover", .anew = forget};
