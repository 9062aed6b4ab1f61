/* The keys of contexts: the value at the path that a rule `context ... by` names, as text. No Java runs. */
#include "../contexts/attribution.h"
#include "keys.h"
#include "rule_specs.h"
#include "tracker_natives.h"
#include <stdlib.h>

enum { MOST_BYTES = 604 };

static void *read_way(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    if (!ch_probe_of(slot, CH_PROBE_CONTEXT, &class_name, &p)) return NULL;
    char *path = ch_text_copy(p.context.path);
    struct ch_way *way = path ? ch_way_read(path) : NULL;
    free(path);
    if (!way) ch_no_memory();
    return way;
}

static void prepare(JNIEnv *env) { (void)ch_key_prepare(env); }

static struct ch_specs specs = {.slots = 1, .read = read_way, .prepare = prepare};

/* Writes the value as text that ends with a whole character. */
static uint32_t text_of(JNIEnv *env, const struct ch_value_seen *v, char *to) {
    struct ch_key_values key;
    key.n = 0;
    ch_key_add_value(env, &key, v);
    size_t n = ch_key_text(key.at, key.n, to, MOST_BYTES), whole = n;
    if (n < MOST_BYTES) return (uint32_t)n;
    while (whole && (to[whole - 1] & 0xC0) == 0x80) whole--;
    return (uint32_t)(whole ? whole - 1 : 0);
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_contextBeginsBy(JNIEnv *env, jclass c, jobject root, jint probe,
                                                                        jthread carrier) {
    char key[MOST_BYTES];
    (void)c;
    if (!ch_scope_may_begin(probe)) return 0;
    const struct ch_way *way = ch_spec_of(&specs, env, probe);
    struct ch_value_seen v = way ? ch_value_from(env, root, way, NULL) : (struct ch_value_seen){.kind = CH_VALUE_NONE};
    uint32_t n = text_of(env, &v, key);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    ch_may_move();
    return ch_moved(ch_scope_begin(env, carrier, (uint32_t)probe, n ? key : "?", n ? n : 1));
}

/* ---- the measure */

static void start_contexts(JNIEnv *env, struct ch_error *error) {
    if (!ch_wanted.contexts) return;
    if (!ch_fields_prepare(env)) ch_warn(error, "this JVM does not let its objects be seen; contexts have no keys");
    ch_tasks_start();
}

const struct ch_measure ch_measure_contexts = {.name = "context",
                                               .prepare = start_contexts,
                                               .on_thread_begin = ch_thread_inherits,
                                               .on_thread_end = ch_scopes_end};
