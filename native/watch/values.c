/* The natives of `value`: numbers in a thread's records, and numbers read from objects. They run no Java.
 *
 * A record is one of timing, read in another way (instrument/measures/value/reader.py): `calls` are the attempts, `completed` those with a number,
 * `total` their sum, which may overflow, so `callee_squares` has it as a double, too; `min` and `max` have the sign bit flipped, which keeps
 * their order. In the histogram negative numbers count as 0.
 */
#include "../counting/timing_records.h"
#include "rule_specs.h"
#include "tracker_natives.h"
#include "watch.h"
#include <stdlib.h>

#define SIGN (UINT64_C(1) << 63)

struct asked { /* what a rule asks for */
    char letter; /* of the root's descriptor */
    struct ch_way way;
};

/* ---- what a rule asks for, from the probe's record */

static void *read_asked(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    if (!ch_probe_of(slot, CH_PROBE_VALUE, &class_name, &p) && !ch_probe_of(slot, CH_PROBE_VALUE_BY, &class_name, &p)) return NULL;
    struct asked *a = calloc(1, sizeof *a);
    char *path = ch_text_copy(p.keyed.path);
    const struct ch_way *way = a && path ? ch_way_read(path) : NULL;
    free(path);
    if (!way) {
        free(a);
        return NULL;
    }
    a->letter = 'L';
    a->way = *way;
    return a;
}

static void prepare(JNIEnv *env) { (void)ch_fields_prepare(env); /* without it, there are no fields */ }

static struct ch_specs specs = {.slots = 1, .read = read_asked, .prepare = prepare};

/* ---- records */

static void note(JNIEnv *env, jint slot, bool there, int64_t number) {
    ch_follow(env, NULL);
    if (ch_self.silent) return;
    if (!ch_slots_there(slot, 1)) { /* an unnumbered probe */
        if (slot >= 0) ch_block_add(&ch_shared, slot, 0, 1);
        return;
    }
    struct ch_block *b = ch_block_for_count();
    ch_records_lock(b);
    struct ch_record *r = ch_record_of(b, (uint32_t)slot);
    if (r) {
        r->calls++;
        if (there) {
            uint64_t ordered = (uint64_t)number ^ SIGN;
            r->completed++;
            r->total += (uint64_t)number;
            r->callee_squares += (double)number;
            if (ordered < r->min) r->min = ordered;
            if (ordered > r->max) r->max = ordered;
            ch_histogram_add(b, r, number > 0 ? (uint64_t)number : 0, 1);
        }
    }
    ch_records_unlock(b);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_value(JNIEnv *env, jclass c, jlong number, jint slot) {
    (void)c;
    note(env, slot, true, number);
}

/* `first`: of the probe; `slot`: where it counts, which may be that of a key. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_valueIn(JNIEnv *env, jclass c, jobject root, jint first, jint slot) {
    (void)c;
    const struct asked *a = ch_spec_of(&specs, env, first);
    struct ch_value_seen v = {.kind = CH_VALUE_NONE};
    if (a) v = a->way.steps ? ch_value_from(env, root, &a->way, NULL) : ch_typed_seen(env, root, a->letter);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    note(env, slot, v.kind == CH_VALUE_INT, v.number);
}
