/* Records classes that are not instrumented, with the reason, for the report; and retransforms classes. */
#include "classes.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Keeps text within one field: class names and error messages may contain anything. */
static void copy_field(char *to, size_t room, const char *from) {
    snprintf(to, room, "%s", from);
    for (; *to; to++)
        if (strchr("\t\n\r\\", *to)) *to = '?';
}

bool ch_skips_once;

/* Whether this text was said before; remembers it. */
static bool was_said(const char *text, size_t bytes) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t *said; /* hashes, 0: free */
    static size_t room, used;
    uint64_t hash = ch_hash_unkeyed((struct ch_key){0, 0}, text, bytes).low | 1;
    pthread_mutex_lock(&lock);
    if (used * 2 >= room) {
        uint64_t *fresh = calloc(room ? room * 2 : 256, sizeof *fresh);
        size_t more = room ? room * 2 : 256;
        for (size_t i = 0; fresh && i < room; i++) {
            size_t at = said[i] >> 1 & (more - 1);
            while (said[i] && fresh[at]) at = (at + 1) & (more - 1);
            if (said[i]) fresh[at] = said[i];
        }
        if (fresh) {
            free(said);
            said = fresh;
            room = more;
        }
    }
    size_t at = room ? hash >> 1 & (room - 1) : 0;
    while (room && said[at] && said[at] != hash) at = (at + 1) & (room - 1);
    bool before = room && said[at];
    if (room && !before && used + 1 < room) said[at] = hash, used++;
    pthread_mutex_unlock(&lock);
    return before;
}

static bool record(const char *name, const char *reason, const char *detail) {
    char class_name[1024], why[1024], text[2200];
    copy_field(class_name, sizeof class_name, name);
    copy_field(why, sizeof why, detail);
    /* as written by instrument/weaving/probe_table.py; the reader converts internal names to binary names */
    int n = snprintf(text, sizeof text, "C\t%s\t\nS\t\t\t%s\t%s", class_name, reason, why);
    if (ch_skips_once && was_said(text, (size_t)n)) return false;
    ch_meta_add(CH_META_SKIP, 0, 0, text, (size_t)n);
    return true;
}

void ch_skip(const char *name, const char *reason, const char *detail) { record(name, reason, detail); }

/* A class that a rule matches is not instrumented. */
void ch_leave(const char *name, const char *reason, const char *detail) {
    if (record(name, reason, detail)) __atomic_fetch_add(&ch_header->matched, 1, __ATOMIC_RELAXED);
}

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

void ch_retransform(JNIEnv *env, jint n, jclass *classes) {
    if (!n || !(*ch_jvmti)->RetransformClasses(ch_jvmti, n, classes)) return;
    for (jint i = 0; i < n; i++) {
        jvmtiError error = (*ch_jvmti)->RetransformClasses(ch_jvmti, 1, &classes[i]);
        if (error) say_refused(classes[i], error);
        (*env)->ExceptionClear(env);
    }
}

/* HotSpot stops all threads once for each call, for a time that grows with the classes of the call, but also with all that are loaded: the
 * shortest stop so far tells how long one is at least. Batches take no more than twice that, or what nobody minds. Between two stops
 * the program runs for a while. */
void ch_retransform_gently(JNIEnv *env, jint n, jclass *classes, struct ch_stops *stops) {
    enum { LEAST = 16, MOST = 2048 };
    const uint64_t harmless = 20000000, pause = 5000000; /* ns */
    uint64_t shortest = UINT64_MAX;
    for (jint at = 0, batch = 1; at < n;) {
        jint now = batch < n - at ? batch : n - at;
        uint64_t began = ch_monotonic_ns();
        ch_retransform(env, now, &classes[at]);
        uint64_t from = ch_hook_left_ns() > began ? ch_hook_left_ns() : began, took = ch_monotonic_ns() - from;
        stops->classes += (uint32_t)now;
        stops->batches++;
        stops->all_ns += took;
        if (took > stops->longest_ns) stops->longest_ns = took;
        if (at && took < shortest) shortest = took; /* the first stop of all does more: HotSpot discards all compiled code */
        uint64_t goal = shortest < UINT64_MAX && 2 * shortest > harmless ? 2 * shortest : harmless;
        at += now;
        if (took > goal && batch > LEAST) batch /= 2;
        if (at == 1 || batch < LEAST) batch = LEAST;
        else if (took < goal / 2 + goal / 4 && batch < MOST) batch *= 2;
        if (at < n) nanosleep(&(struct timespec){0, (long)(took < pause ? took : pause)}, NULL);
    }
}
