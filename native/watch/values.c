/* The natives of `value`: numbers in a thread's records, and numbers read from objects. They run no Java.
 *
 * A record is one of timing, read in another way (instrument/measures/value/reader.py): `calls` are the attempts,
 * `completed` those with a number, `total` their sum, which may overflow, so `callee_squares` has it as a double, too;
 * `min` and `max` have the sign bit flipped, which keeps their order. In the histogram negative numbers count as 0.
 *
 * A record has whole numbers, or all of them are real: `exceptions` counts those. Then `callee_squares` is their sum,
 * `min` and `max` are doubles in an order of integers, and the histogram has their size in parts of 2^-16, up to 2^36.
 */
#include "../timing/timing_records.h"
#include "rule_specs.h"
#include "tracker_natives.h"
#include "watch.h"
#include <stdlib.h>
#include <string.h>

#define SIGN (UINT64_C(1) << 63)
#define PARTS ((double)(1 << 16))
#define LAST \
    (((uint64_t)CH_OCTAVE_STEPS << (CH_OCTAVES - 1)) - \
     1) /* place in a histogram; the reader knows that all beyond are there, too */

struct asked { /* what a rule asks for */
    struct ch_operand number;
    struct ch_watch roots; /* of what is calculated of several, which code passes in an array */
};
enum { MOST_ROOTS = 255, MOST_REFERENCES = 1024 /* as for watched calls */ };
static char objects[MOST_ROOTS + 1];

/* ---- what a rule asks for, from the probe's record */

static void *read_asked(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    const uint64_t kinds = CH_KIND(VALUE) | CH_KIND(VALUE_BY) | CH_KIND(VALUE_LINE) | CH_KIND(VALUE_LINE_BY);
    if (!ch_probe_of(slot, kinds, &class_name, &p)) return NULL;
    struct asked *a = calloc(1, sizeof *a);
    char *path = ch_text_copy(p.keyed.path);
    const struct ch_operand *number = a && path ? ch_operand_read(path) : NULL;
    free(path);
    if (!number) {
        ch_no_memory();
        free(a);
        return NULL;
    }
    a->number = *number;
    a->roots = (struct ch_watch){.types = objects, .arguments = MOST_ROOTS, .result = 'L'};
    return a;
}

static void prepare(JNIEnv *env) {
    (void)ch_fields_prepare(env); /* without it, there are no fields */
    (void)ch_released_start(env);
    memset(objects, 'L', MOST_ROOTS);
}

static struct ch_specs specs = {.slots = 1, .read = read_asked, .prepare = prepare};

/* ---- records */

/* Doubles in this form have the order of their values. */
static uint64_t ordered_real(double real) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

static uint64_t place_of_whole(int64_t number) {
    return number < 0 ? 0 : (uint64_t)number < LAST ? (uint64_t)number : LAST;
}

static uint64_t place_of_real(double real) {
    double n = real * PARTS;
    return n <= 0 ? 0 : n < (double)LAST ? (uint64_t)n : LAST;
}

static void add(struct ch_block *b, struct ch_record *r, const struct ch_value_seen *v) {
    bool whole = v->kind == CH_VALUE_INT;
    bool real = (v->kind == CH_VALUE_DOUBLE || v->kind == CH_VALUE_FLOAT) && v->real - v->real == 0; /* finite */
    if (whole ? r->exceptions != 0 : !real || r->exceptions != r->completed) return;
    uint64_t ordered = whole ? (uint64_t)v->number ^ SIGN : ordered_real(v->real);
    r->completed++;
    r->exceptions += real;
    r->total += whole ? (uint64_t)v->number : 0;
    r->callee_squares += whole ? (double)v->number : v->real;
    if (ordered < r->min) r->min = ordered;
    if (ordered > r->max) r->max = ordered;
    ch_histogram_add(b, r, real ? place_of_real(v->real) : place_of_whole(v->number), 1);
}

void ch_value_note(JNIEnv *env, jint slot, struct ch_value_seen v) {
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
        add(b, r, &v);
    }
    ch_records_unlock(b);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_value(JNIEnv *env, jclass c, jlong number, jint slot) {
    (void)c;
    ch_value_note(env, slot, (struct ch_value_seen){.kind = CH_VALUE_INT, .number = number});
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_valueReal(JNIEnv *env, jclass c, jdouble number, jint slot) {
    (void)c;
    ch_value_note(env, slot, (struct ch_value_seen){.kind = CH_VALUE_DOUBLE, .real = number});
}

struct ch_way *ch_value_way(JNIEnv *env, uint32_t slot) {
    struct asked *a = ch_spec_of(&specs, env, (jint)slot);
    return a && a->number.op == CH_OPERAND_WAY ? &a->number.way : NULL;
}

/* `first`: of the probe; `slot`: where it counts, which may be that of a key. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_valueIn(JNIEnv *env, jclass c, jobject root, jint first,
                                                               jint slot) {
    (void)c;
    const struct asked *a = ch_spec_of(&specs, env, first);
    struct ch_value_seen v = {.kind = CH_VALUE_NONE};
    if (a) v = ch_value_from(env, root, &a->number.way, NULL);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    ch_value_note(env, slot, v);
}

static bool is_result(int root) { return root == CH_ROOT_RESULT; }

/* Likewise, of the result and the values in an array, as the roots `t`, `a0`, ...; null: there is no memory for it. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_valueOf(JNIEnv *env, jclass c, jobject result, jobjectArray kept,
                                                               jint first, jint slot) {
    (void)c;
    const struct asked *a = kept ? ch_spec_of(&specs, env, first) : NULL;
    struct ch_value_seen v = {.kind = CH_VALUE_NONE};
    if (a && ch_local_room(env, MOST_REFERENCES)) {
        bool ended = ch_operand_has_root(&a->number, is_result);
        struct ch_activation roots = {.env = env, .kept = kept, .value = result, .ended = ended, .watch = &a->roots};
        v = ch_operand_value(&roots, &a->number);
    }
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    ch_value_note(env, slot, v);
}
