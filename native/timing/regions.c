/* `below` and `not below`: what counts only while the thread is inside of another method, or not. They run no Java.
 *
 * A region is the dynamic extent of the methods that a rule names behind `below`. A thread's stack knows how deep it is
 * in each; a virtual thread's stack goes along with it. The entry of such a method is told the depth before, which its
 * exit restores: so what an inner one left open ends with it.
 */
#include "shadow_stacks.h"
#include "tracker_natives.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { REGION_SHIFT = 24, DEEPEST = (1 << REGION_SHIFT) - 1, NO_REGION = 0xFF, UNKNOWN_SLOT = 0, OUTSIDE = 0x80 };

_Static_assert((int)CH_REGIONS < (int)OUTSIDE, "a number has room for OUTSIDE, and is not NO_REGION");
static char *names[CH_REGIONS]; /* lock held */
static uint8_t *known; /* by slot: 1 + the region, with OUTSIDE if it counts elsewhere, NO_REGION */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Lock held. */
static uint8_t region_named(char *name) {
    for (uint8_t i = 0; i < CH_REGIONS; i++) {
        if (!names[i]) names[i] = strdup(name);
        if (names[i] && !strcmp(names[i], name)) return (uint8_t)(i + 1);
    }
    static const char text[] = "too many rules with `below`: some count nothing";
    static bool said;
    if (!said) ch_meta_add(CH_META_NOTE, 0, 0, text, sizeof text - 1);
    said = true;
    return NO_REGION;
}

static uint8_t read_region(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    const uint64_t kinds = CH_KIND(WITHIN) | CH_KIND(COUNT_BELOW) | CH_KIND(TIME_BELOW) | CH_KIND(RESUMED_BELOW) |
                           CH_KIND(COUNT_BELOW_BY) | CH_KIND(TIME_BELOW_BY);
    if (!ch_probe_of(slot, kinds, &class_name, &p)) return NO_REGION;
    char *name = ch_text_copy(p.keyed.region);
    if (!name) ch_no_memory();
    uint8_t found = name ? region_named(name) : NO_REGION;
    free(name);
    return found != NO_REGION && p.keyed.outside ? found | OUTSIDE : found;
}

static __attribute__((noinline)) uint8_t look_up(uint32_t slot) {
    struct ch_region r;
    pthread_mutex_lock(&lock);
    if (!known && ch_region_memory(&r, ch_room.slots)) ch_store_release(&known, r.base);
    uint8_t found = known ? known[slot] : NO_REGION;
    if (found == UNKNOWN_SLOT) ch_store_relaxed(&known[slot], found = read_region(slot));
    pthread_mutex_unlock(&lock);
    return found;
}

/* With OUTSIDE, as in `known`; -1: there is none. */
static inline int region_of(jint slot) {
    if (!ch_slots_there(slot, 1)) return -1;
    uint8_t *all = ch_load_acquire(&known), found = all ? ch_load_relaxed(&all[slot]) : UNKNOWN_SLOT;
    if (__builtin_expect(found == UNKNOWN_SLOT, 0)) found = look_up((uint32_t)slot);
    return found == NO_REGION ? -1 : found - 1;
}

/* Returns whether the calls of a probe count now. */
static inline bool counts(jint slot) {
    int region = region_of(slot);
    const struct ch_stack *s = region < 0 ? NULL : ch_stack_of_thread(ch_block_for_count());
    return s && !s->inside[region & ~OUTSIDE] == !!(region & OUTSIDE);
}

/* Returns the value for the end of the region: the region and the depth before; -1: none. */
JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_regionBegins(JNIEnv *env, jclass c, jint slot) {
    (void)c;
    ch_follow(env, NULL);
    int region = ch_self.silent ? -1 : region_of(slot);
    struct ch_stack *s = region < 0 ? NULL : ch_stack_of_thread(ch_block_for_count());
    if (!s || s->inside[region] >= DEEPEST) return -1;
    jint token = (jint)((uint32_t)region << REGION_SHIFT | s->inside[region]);
    if (!s->inside[region]++) s->regions++;
    return token;
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_regionEnds(JNIEnv *env, jclass c, jint token) {
    (void)env, (void)c;
    struct ch_stack *s = ch_self.stack;
    if (token < 0 || !s) return;
    uint32_t region = (uint32_t)token >> REGION_SHIFT, before = (uint32_t)token & DEEPEST;
    if (region >= CH_REGIONS || s->inside[region] <= before) return; /* this activation has already ended */
    s->inside[region] = before;
    if (!before) s->regions--;
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_countBelow(JNIEnv *env, jclass c, jint slot) {
    (void)c;
    ch_follow(env, NULL);
    if (!ch_self.silent && counts(slot)) ch_block_add(ch_block_for_count(), slot, 0, 1);
}

JNIEXPORT jboolean JNICALL Java_java_lang_ClasshookTracker_isBelow(JNIEnv *env, jclass c, jint slot) {
    (void)c;
    ch_follow(env, NULL);
    return !ch_self.silent && counts(slot);
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_enterBelow(JNIEnv *env, jclass c, jint slot) {
    ch_follow(env, NULL);
    return !ch_self.silent && counts(slot) ? Java_java_lang_ClasshookTracker_enter(env, c, slot) : 0;
}
