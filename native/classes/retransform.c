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

/* The JVM refuses all of them for one that it cannot change; by halves, that one is found. Each call costs the more the more classes are loaded. */
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

/* Which of them count from now on. */
static void say_placed(JNIEnv *env, jint n, jclass *classes, uint64_t since_ns) {
    char *text = NULL, name[1024];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return;
    for (jint i = 0; i < n; i++) {
        jobject loader = NULL;
        if (ch_name_of_class(classes[i], name, sizeof name) && !(*ch_jvmti)->GetClassLoader(ch_jvmti, classes[i], &loader) &&
            ch_class_state(loader, name).woven)
            fprintf(f, "%s\n", name);
        if (loader) (*env)->DeleteLocalRef(env, loader);
    }
    fclose(f);
    if (bytes) ch_meta_add(CH_META_PLACED, (uint32_t)((ch_monotonic_ns() - since_ns) / 1000000), 0, text, bytes);
    free(text);
}

/* HotSpot stops all threads once for each call, for a time that grows with the classes of the call, but also with all that are loaded: the
 * shortest stop so far tells how long one is at least. Batches take no more than twice that, or what nobody minds. Between two stops
 * the program runs for a while. */
void ch_retransform_in_batches(JNIEnv *env, jint n, jclass *classes, struct ch_stops *stops) {
    enum { LEAST = 256, MOST = 2048 };
    const uint64_t harmless = 30000000, pause = 5000000; /* ns */
    for (jint at = 0, batch = stops->batches ? LEAST : 1; at < n;) {
        jint now = batch < n - at ? batch : n - at;
        uint64_t began = ch_monotonic_ns();
        ch_retransform(env, now, &classes[at]);
        uint64_t from = ch_rules_used_ns() > began ? ch_rules_used_ns() : began, took = ch_monotonic_ns() - from;
        bool first = !stops->batches; /* it does more: HotSpot discards all compiled code */
        if (stops->since_ns) say_placed(env, now, &classes[at], stops->since_ns);
        stops->classes += (uint32_t)now;
        stops->batches++;
        stops->all_ns += took;
        if (took > stops->longest_ns) stops->longest_ns = took;
        if (!first && (!stops->shortest_ns || took < stops->shortest_ns)) stops->shortest_ns = took;
        uint64_t goal = 2 * stops->shortest_ns > harmless ? 2 * stops->shortest_ns : harmless;
        at += now;
        if (took > goal && batch > LEAST) batch /= 2;
        if (first || batch < LEAST)
            batch = LEAST;
        else if (took < goal / 2 + goal / 4 && batch < MOST)
            batch *= 2;
        if (at < n) nanosleep(&(struct timespec){0, (long)(took < pause ? took : pause)}, NULL);
    }
}
