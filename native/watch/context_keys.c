/* The keys of contexts: the values at the paths that a rule `context ... by` names, as text. No Java runs. */
#include "../contexts/attribution.h"
#include "keys.h"
#include "rule_specs.h"
#include "tracker_natives.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 604, MOST_PARTS = 8 };

struct ways {
    uint32_t n;
    struct ch_way *way[MOST_PARTS];
};

static void *read_ways(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    if (!ch_probe_of(slot, CH_KIND(CONTEXT), &class_name, &p)) return NULL;
    struct ways *ways = calloc(1, sizeof *ways);
    char *paths = ch_text_copy(p.context.paths), *rest = paths;
    bool well = ways && paths;
    for (char *path; well && (path = strtok_r(NULL, " ", &rest));)
        well = ways->n < MOST_PARTS && (ways->way[ways->n++] = ch_way_read(path));
    free(paths);
    if (well) return ways;
    ch_no_memory();
    free(ways);
    return NULL;
}

static void prepare(JNIEnv *env) { (void)ch_key_prepare(env); }

static struct ch_specs specs = {.slots = 1, .read = read_ways, .prepare = prepare};

/* `root`: of several paths, an array. */
static void add_values(JNIEnv *env, struct ch_key_values *to, const struct ways *ways, jobject root) {
    for (uint32_t i = 0; i < ways->n; i++) {
        jobject of = ways->n == 1 ? root : (*env)->GetObjectArrayElement(env, root, (jsize)i);
        struct ch_value_seen v = ch_value_from(env, of, ways->way[i], NULL);
        ch_key_add_value(env, to, &v);
        if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    }
}

/* Writes the values as text that ends with a whole character. */
static uint32_t text_of(const struct ch_key_values *key, char *to) {
    size_t n = ch_key_text(key->at, key->n, to, MOST_BYTES), whole = n;
    if (n < MOST_BYTES) return (uint32_t)n;
    while (whole && (to[whole - 1] & 0xC0) == 0x80) whole--;
    return (uint32_t)(whole ? whole - 1 : 0);
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_contextBeginsBy(JNIEnv *env, jclass c, jobject root, jint probe,
                                                                        jthread carrier) {
    struct ch_key_values values;
    char key[MOST_BYTES];
    (void)c;
    if (!ch_scope_may_begin(probe)) return 0;
    const struct ways *ways = ch_spec_of(&specs, env, probe);
    values.n = 0;
    if (ways) add_values(env, &values, ways, root);
    uint32_t n = text_of(&values, key);
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
