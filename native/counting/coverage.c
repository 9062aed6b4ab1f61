/* Coverage: a byte for each probe in the data file, 1 once the probe was hit. The tracker sets them; a crash loses none. In
 * front of the bytes are arrays of the JVM's, in which the tracker looks first (native/building/tracker.py).
 */
#include "counting.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool ch_has_cover;
uint32_t ch_coverage_sessions;
static struct ch_region hits;

bool ch_coverage_start(void) { return ch_region_open(&hits, CH_COVER, 0, ch_room.slots, 0); }

void ch_coverage_begin(void) {
    ch_coverage_sessions++;
    if (madvise(hits.base, hits.bytes, MADV_REMOVE)) memset(hits.base, 0, ch_header->slots_used);
}

bool ch_coverage_unnumbered_hit(void) {
    unsigned char resident[CH_UNNUMBERED_SLOTS / 4096];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uint8_t *start = hits.base + ch_room.slots - CH_UNNUMBERED_SLOTS;
    if (mincore((void *)(uintptr_t)start, CH_UNNUMBERED_SLOTS, resident)) return false; /* reading a page could allocate it */
    for (size_t i = 0; i < CH_UNNUMBERED_SLOTS; i++)
        if (resident[i / page] & 1 && start[i]) return true;
    return false;
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_coverBase(JNIEnv *env, jclass c) {
    (void)env, (void)c;
    return (jlong)(uintptr_t)hits.base;
}
