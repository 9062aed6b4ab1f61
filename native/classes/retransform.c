/* Retransforms classes: the JVM passes each through the hook again. */
#include "classes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void say_refused(jclass c, jvmtiError error) {
    char *signature = NULL, *text = NULL;
    (*ch_jvmti)->GetErrorName(ch_jvmti, error, &text);
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) {
        signature[strlen(signature) - 1] = 0;
        ch_skip(signature + 1, "refused-by-jvm", text ? text : "");
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)text);
}

/* The JVM refuses all of them for one that it cannot change; by halves, that one is found. Each call costs the more the
 * more classes are loaded. */
void ch_retransform(JNIEnv *env, jint n, jclass *classes) {
    jvmtiError error = n ? (*ch_jvmti)->RetransformClasses(ch_jvmti, n, classes) : JVMTI_ERROR_NONE;
    if (!error) return;
    (*env)->ExceptionClear(env);
    if (n == 1) {
        say_refused(classes[0], error);
        return;
    }
    ch_retransform(env, n / 2, classes);
    ch_retransform(env, n - n / 2, classes + n / 2);
}

/* Notes which of these classes count from now on. */
static void say_placed(JNIEnv *env, jint n, jclass *classes, uint64_t since_ns) {
    char *text = NULL, name[1024];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return;
    for (jint i = 0; i < n; i++) {
        jobject loader = NULL;
        if (ch_name_of_class(classes[i], name, sizeof name) &&
            !(*ch_jvmti)->GetClassLoader(ch_jvmti, classes[i], &loader) && ch_class_state(loader, name).woven)
            fprintf(f, "%s\n", name);
        if (loader) (*env)->DeleteLocalRef(env, loader);
    }
    fclose(f);
    if (bytes) ch_meta_add(CH_META_PLACED, (uint32_t)((ch_monotonic_ns() - since_ns) / 1000000), 0, text, bytes);
    free(text);
}

enum { LEAST = 256, LEAST_AT_FIRST = 16, MOST = 2048, PATIENCE = 5 };
static const uint64_t harmless_ns = 30000000, pause_ns = 5000000;

/* The number of classes for the next stop, after one of `batch` that took so long. */
static jint next_batch(const struct ch_stops *stops, jint batch, uint64_t took, bool first) {
    uint64_t twice = 2 * stops->shortest_ns, goal = stops->at_most_ns     ? stops->at_most_ns
                                                    : twice > harmless_ns ? twice
                                                                          : harmless_ns;
    jint least = stops->at_most_ns ? 1 : LEAST;
    if (first) return stops->at_most_ns ? LEAST_AT_FIRST : LEAST;
    if (batch < least) return least;
    if (took > goal && batch > least) return batch / 2;
    return took < goal / 2 + goal / 4 && batch < MOST ? 2 * batch : batch;
}

/* True if the exchange is to go on. A stop cannot be shorter than one for a single class; one may be longer for other
 * reasons, such as a collection. */
static bool goes_on(struct ch_stops *stops, jint batch, uint64_t took, bool first) {
    stops->too_long = !first && batch == 1 && stops->at_most_ns && took > stops->at_most_ns ? stops->too_long + 1 : 0;
    if (stops->goes_on && !stops->goes_on(stops)) stops->end = CH_STOPS_CANCELLED;
    if (stops->too_long == PATIENCE) stops->end = CH_STOPS_TOO_LONG;
    return stops->end == CH_STOPS_ALL;
}

/* HotSpot stops all threads once for each call, for a time that grows with the classes of the call, but also with all
 * that are loaded: the shortest stop so far tells how long one is at least. Batches take no more than twice that, or
 * what nobody minds. Between two stops the program runs for a while. */
void ch_retransform_in_batches(JNIEnv *env, jint n, jclass *classes, struct ch_stops *stops) {
    for (jint at = 0, batch = stops->batches ? next_batch(stops, 0, 0, true) : 1;
         at < n && stops->end == CH_STOPS_ALL;) {
        jint now = batch < n - at ? batch : n - at;
        uint64_t began = ch_monotonic_ns();
        ch_retransform(env, now, &classes[at]);
        uint64_t from = ch_rules_used_ns() > began ? ch_rules_used_ns() : began, took = ch_monotonic_ns() - from;
        bool first = !stops->batches; /* it does more: HotSpot discards all compiled code */
        if (stops->since_ns) say_placed(env, now, &classes[at], stops->since_ns);
        stops->classes += (uint32_t)now;
        stops->done += (uint32_t)now;
        stops->batches++;
        stops->all_ns += took;
        if (took > stops->longest_ns) stops->longest_ns = took;
        if (!first && (!stops->shortest_ns || took < stops->shortest_ns)) stops->shortest_ns = took;
        at += now;
        if (!goes_on(stops, now, took, first)) return;
        batch = next_batch(stops, batch, took, first);
        if (at < n) nanosleep(&(struct timespec){0, (long)(took < pause_ns ? took : pause_ns)}, NULL);
    }
}
