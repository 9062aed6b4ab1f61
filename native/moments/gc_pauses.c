/* The time for which the program stands still for the garbage collector: JVMTI's events GarbageCollectionStart and
 * GarbageCollectionFinish.
 *
 * 1. They come on a thread of the JVM's while all others stand still. There is no JNI then, and the JVM must not be
 *    asked anything. The data that it keeps in memory for jstat can be read, though (heap_figures.c).
 * 2. HotSpot has a pair of them for each pause. A collector's concurrent work has none; nor has the time until all
 *    threads stand still, nor a collection before a heap dump.
 * 3. Pairs may be within another one, as when a young collection becomes a full one.
 */
#include "moments.h"

static bool listens, looked; /* looked: for what the JVM keeps for jstat */
static uint32_t open_pairs;
static uint64_t began_ns;

void JNICALL ch_pause_begins(jvmtiEnv *jvmti) {
    (void)jvmti;
    if (!open_pairs++) began_ns = ch_monotonic_ns();
}

void JNICALL ch_pause_ends(jvmtiEnv *jvmti) {
    (void)jvmti;
    if (!open_pairs || --open_pairs) return; /* it may have begun before anybody listened */
    uint64_t used = 0, total = 0, took = ch_monotonic_ns() - began_ns;
    if (!looked) ch_heap_figures_find();
    looked = true;
    const char *cause = ch_collection_cause();
    if (cause && ch_collects_in_pauses()) ch_heap_figures(&used, &total); /* without a cause, nothing was collected */
    ch_moment_add(CH_MOMENT_PAUSE, began_ns, took, ch_moment_cause(cause),
                  used >> 10 > UINT32_MAX ? 0 : (uint32_t)(used >> 10));
}

static bool listen(jvmtiEventMode mode, jvmtiEvent event) {
    return !(*ch_jvmti)->SetEventNotificationMode(ch_jvmti, mode, event, NULL);
}

static void start(JNIEnv *env, jthread self, struct ch_error *error) {
    static const jvmtiCapabilities wanted = {.can_generate_garbage_collection_events = 1};
    (void)env, (void)self, (void)error;
    if (listens || (*ch_jvmti)->AddCapabilities(ch_jvmti, &wanted)) return;
    open_pairs = 0;
    listens = listen(JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH) &&
              listen(JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_START);
}

static void stop(JNIEnv *env, bool at_death) {
    (void)env, (void)at_death;
    if (!listens) return;
    listens = false;
    (void)listen(JVMTI_DISABLE, JVMTI_EVENT_GARBAGE_COLLECTION_START);
    (void)listen(JVMTI_DISABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
}

const struct ch_measure ch_measure_pauses = {.name = "pauses", .start = start, .stop = stop};
