/* Dumps of all threads and monitors, and when threads began and ended, in the data file.
 *
 * 1. A dump is HotSpot's own text (Thread.print): one stop for all of it, and locks of java.util.concurrent are in it,
 *    too. Reports read it.
 * 2. It is taken on request, by SIGQUIT or the control socket, and for HPROF's files at the end.
 * 3. A thread has the number that Java gives it, which the dump has, too. Threads that began before VMInit are looked
 *    up there. */
#include "live.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DUMPS = 64, MOST_BYTES = 8 << 20, MOST_THREADS = 1 << 16, NAME = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned dumps, logged;
static bool asked, logs;
static __thread uint32_t own; /* this thread's number, if it is in the data file */

bool ch_dump_threads(JNIEnv *env, struct ch_error *error) {
    struct ch_silence silence = {0};
    pthread_mutex_lock(&lock);
    bool may = dumps < MOST_DUMPS;
    dumps += may;
    pthread_mutex_unlock(&lock);
    if (!may) return ch_fail(error, "there are %d dumps of threads in the data already", (int)MOST_DUMPS);
    ch_silence(env, &silence);
    char *text = ch_diagnostic(env, "Thread.print -l", error);
    ch_silence_end(env, &silence);
    if (!text) return false;
    size_t n = strlen(text);
    uint64_t ms = (ch_monotonic_ns() - ch_header->first_ns) / 1000000;
    ch_meta_add(CH_META_DUMP, ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX, 0, text, n < MOST_BYTES ? n : MOST_BYTES);
    free(text);
    ch_clock_mark();
    return true;
}

/* ---- when threads begin and end */

/* The name of a thread's group, into `to`. */
static void group_of(JNIEnv *env, const jvmtiThreadInfo *info, char *to, size_t room) {
    jvmtiThreadGroupInfo group = {0};
    if (!info->thread_group || (*ch_jvmti)->GetThreadGroupInfo(ch_jvmti, info->thread_group, &group)) return;
    snprintf(to, room, "%s", group.name ? group.name : "");
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)group.name);
    if (group.parent) (*env)->DeleteLocalRef(env, group.parent);
}

static uint32_t log_thread(JNIEnv *env, jthread thread) {
    jvmtiThreadInfo info = {0};
    char text[2 * NAME] = "", group[NAME] = "";
    if (ch_add_relaxed(&logged, 1) >= MOST_THREADS || (*ch_jvmti)->GetThreadInfo(ch_jvmti, thread, &info)) return 0;
    group_of(env, &info, group, sizeof group);
    int n = snprintf(text, NAME, "%s", info.name ? info.name : ""), used = n < NAME ? n + 1 : NAME;
    used += snprintf(text + used, NAME, "%s", group) + 1;
    uint32_t number = ch_java_number(env, thread);
    ch_meta_add(CH_META_THREAD, number, 0, text, (size_t)used);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)info.name);
    if (info.thread_group) (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader) (*env)->DeleteLocalRef(env, info.context_class_loader);
    return number;
}

void ch_thread_log_ask(void) { asked = true; }

static void start_log(JNIEnv *env, jthread self, struct ch_error *error) {
    (void)error;
    if (!asked || logs) return;
    jthread *all = NULL;
    jint n = 0;
    if ((*ch_jvmti)->GetAllThreads(ch_jvmti, &n, &all)) return;
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        uint32_t number = log_thread(env, all[i]);
        if ((*env)->IsSameObject(env, all[i], self)) own = number;
        (*env)->DeleteLocalRef(env, all[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
    ch_store_release(&logs, true);
}

static void log_begin(JNIEnv *env, jthread thread) {
    if (ch_load_acquire(&logs)) own = log_thread(env, thread);
}

static void log_end(JNIEnv *env, jthread thread) {
    (void)env, (void)thread;
    if (own) ch_meta_add(CH_META_THREAD_END, own, 0, "", 0);
    own = 0;
}

const struct ch_measure ch_measure_thread_log = {
    .name = "thread log", .start = start_log, .on_thread_begin = log_begin, .on_thread_end = log_end};
