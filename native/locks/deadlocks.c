/* Deadlocks, at monitors and at locks of java.util.concurrent, and what threads wait for: asked of the JVM's
 * ThreadMXBean.
 *
 * 1. The bean names the threads that are deadlocked; each waits for a lock that another one of them holds. Following
 *    the holders gives the cycles. Virtual threads are unknown to it.
 * 2. It belongs to the module java.management, without which nothing is found. Nothing but the JDK's code runs for it.
 * 3. When a thread dump is requested (SIGQUIT), and at its end, deadlocks are written to the data file, each once.
 */
#include "locks.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, FRAMES = 64, MOST_KNOWN = 64, LOCAL_REFERENCES = 64 };

static struct {
    jobject bean;
    jmethodID find, infos, name, lock, owner, owner_id, id, stack, text;
} java;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ch_keys known; /* deadlocks that were written */

/* ---- the bean */

static bool cleared(JNIEnv *env) {
    if (!(*env)->ExceptionCheck(env)) return true;
    (*env)->ExceptionClear(env);
    return false;
}

static jmethodID method_of(JNIEnv *env, jclass c, const char *name, const char *descriptor) {
    jmethodID found = c ? (*env)->GetMethodID(env, c, name, descriptor) : NULL;
    return cleared(env) ? found : NULL;
}

static bool find_bean(JNIEnv *env) {
    if (java.bean) return true;
    if (!ch_initialise(env, "java.lang.management.ManagementFactory")) return false;
    jclass factory = ch_boot_class(env, "java.lang.management.ManagementFactory"),
           bean = ch_boot_class(env, "java.lang.management.ThreadMXBean");
    jclass info = ch_boot_class(env, "java.lang.management.ThreadInfo"),
           element = ch_boot_class(env, "java.lang.StackTraceElement");
    jmethodID get =
        factory ? (*env)->GetStaticMethodID(env, factory, "getThreadMXBean", "()Ljava/lang/management/ThreadMXBean;")
                : NULL;
    java.find = method_of(env, bean, "findDeadlockedThreads", "()[J");
    java.infos = method_of(env, bean, "getThreadInfo", "([JI)[Ljava/lang/management/ThreadInfo;");
    java.name = method_of(env, info, "getThreadName", "()Ljava/lang/String;");
    java.lock = method_of(env, info, "getLockName", "()Ljava/lang/String;");
    java.owner = method_of(env, info, "getLockOwnerName", "()Ljava/lang/String;");
    java.owner_id = method_of(env, info, "getLockOwnerId", "()J");
    java.id = method_of(env, info, "getThreadId", "()J");
    java.stack = method_of(env, info, "getStackTrace", "()[Ljava/lang/StackTraceElement;");
    java.text = method_of(env, element, "toString", "()Ljava/lang/String;");
    if (!get || !java.find || !java.infos || !java.name || !java.lock || !java.owner || !java.owner_id || !java.id ||
        !java.stack || !java.text)
        return false;
    jobject there = (*env)->CallStaticObjectMethod(env, factory, get);
    if (cleared(env) && there) java.bean = (*env)->NewGlobalRef(env, there);
    return java.bean;
}

static char *text_of(JNIEnv *env, jobject object, jmethodID method) {
    jstring found = (*env)->CallObjectMethod(env, object, method);
    const char *text = cleared(env) && found ? (*env)->GetStringUTFChars(env, found, NULL) : NULL;
    char *copy = strdup(text ? text : "");
    if (text) (*env)->ReleaseStringUTFChars(env, found, text);
    if (found) (*env)->DeleteLocalRef(env, found);
    return copy;
}

/* The topmost frame that is not the JDK's; else the topmost one. */
static char *place_of(JNIEnv *env, jobject info) {
    jobjectArray frames = (*env)->CallObjectMethod(env, info, java.stack);
    jsize n = cleared(env) && frames ? (*env)->GetArrayLength(env, frames) : 0;
    char *found = NULL;
    for (jsize i = 0; i < n; i++) {
        jobject frame = (*env)->GetObjectArrayElement(env, frames, i);
        char *text = frame ? text_of(env, frame, java.text) : NULL;
        if (frame) (*env)->DeleteLocalRef(env, frame);
        char *loader = text ? strstr(text, "//") : NULL; /* its name, which says nothing new */
        if (loader) memmove(text, loader + 2, strlen(loader + 2) + 1);
        bool own = text && strncmp(text, "java.", 5) && strncmp(text, "jdk.", 4);
        if (!found || own) {
            free(found);
            found = text;
        } else {
            free(text);
        }
        if (own) break;
    }
    if (frames) (*env)->DeleteLocalRef(env, frames);
    return found ? found : strdup("");
}

/* ---- threads that wait for a lock */

void ch_waiting_free(struct ch_waiting *all, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(all[i].name);
        free(all[i].waits_for);
        free(all[i].held_by);
        free(all[i].at);
    }
    free(all);
}

static bool read_info(JNIEnv *env, jobject info, struct ch_waiting *to) {
    to->id = (*env)->CallLongMethod(env, info, java.id);
    to->owner = cleared(env) ? (*env)->CallLongMethod(env, info, java.owner_id) : -1;
    if (!cleared(env)) return false;
    to->name = text_of(env, info, java.name);
    to->waits_for = text_of(env, info, java.lock);
    to->held_by = text_of(env, info, java.owner);
    to->at = place_of(env, info);
    return to->name && to->waits_for && to->held_by && to->at;
}

/* Reads the threads, of these, that wait for something. */
static size_t read_infos(JNIEnv *env, jlongArray ids, struct ch_waiting **out) {
    jobjectArray infos = (*env)->CallObjectMethod(env, java.bean, java.infos, ids, (jint)FRAMES);
    jsize n = cleared(env) && infos ? (*env)->GetArrayLength(env, infos) : 0;
    struct ch_waiting *all = n ? calloc((size_t)n, sizeof *all) : NULL;
    size_t found = 0;
    for (jsize i = 0; all && i < n; i++) {
        jobject info = (*env)->GetObjectArrayElement(env, infos, i);
        if (!info) continue;
        struct ch_waiting *to = &all[found];
        found++; /* what was read of one that could not be read as a whole is freed with the others */
        if (!read_info(env, info, to) || !*to->waits_for) {
            found--;
            free(to->name), free(to->waits_for), free(to->held_by), free(to->at);
            *to = (struct ch_waiting){0};
        }
        (*env)->DeleteLocalRef(env, info);
    }
    if (infos) (*env)->DeleteLocalRef(env, infos);
    *out = all;
    return found;
}

size_t ch_threads_waiting(JNIEnv *env, const jlong *ids, size_t n, struct ch_waiting **out) {
    size_t found = 0;
    *out = NULL;
    if (!n || !ch_local_frame(env, LOCAL_REFERENCES)) return 0;
    jlongArray array = find_bean(env) ? (*env)->NewLongArray(env, (jsize)n) : NULL;
    if (array) {
        (*env)->SetLongArrayRegion(env, array, 0, (jsize)n, ids);
        found = read_infos(env, array, out);
    }
    cleared(env);
    (*env)->PopLocalFrame(env, NULL);
    return found;
}

/* Numbers the cycles, from 1 on. */
static uint32_t number_cycles(struct ch_waiting *all, size_t n) {
    uint32_t cycles = 0;
    for (size_t i = 0; i < n; i++) {
        if (all[i].cycle) continue;
        cycles++;
        for (size_t at = i; at < n && !all[at].cycle;) {
            size_t next = 0;
            all[at].cycle = cycles;
            while (next < n && all[next].id != all[at].owner) next++;
            at = next;
        }
    }
    return cycles;
}

static int by_cycle(const void *a, const void *b) {
    const struct ch_waiting *one = a, *other = b;
    return one->cycle != other->cycle ? (one->cycle < other->cycle ? -1 : 1) : strcmp(one->name, other->name);
}

size_t ch_deadlocks(JNIEnv *env, struct ch_waiting **out, uint32_t *cycles) {
    size_t found = 0;
    *out = NULL;
    *cycles = 0;
    if (!ch_local_frame(env, LOCAL_REFERENCES)) return 0;
    jlongArray ids = find_bean(env) ? (*env)->CallObjectMethod(env, java.bean, java.find) : NULL;
    if (cleared(env) && ids && (*env)->GetArrayLength(env, ids) <= MOST_THREADS) found = read_infos(env, ids, out);
    cleared(env);
    (*env)->PopLocalFrame(env, NULL);
    *cycles = number_cycles(*out, found);
    if (found) qsort(*out, found, sizeof **out, by_cycle);
    return found;
}

/* ---- into the data file */

static bool is_new(const char *text, size_t bytes) {
    struct ch_key key = ch_hash_own((struct ch_key){0, 0}, text, bytes);
    pthread_mutex_lock(&lock);
    bool fresh = known.table.used < MOST_KNOWN && ch_keys_add(&known, key);
    pthread_mutex_unlock(&lock);
    return fresh;
}

/* One deadlock: for each thread its name, what it waits for, who holds that, and where it is, each ended by a zero
 * byte. */
static void write_cycle(const struct ch_waiting *all, size_t n) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (!to) return;
    for (size_t i = 0; i < n; i++) {
        const char *parts[] = {all[i].name, all[i].waits_for, all[i].held_by, all[i].at};
        for (size_t k = 0; k < 4; k++) fwrite(parts[k], 1, strlen(parts[k]) + 1, to);
    }
    if (!fclose(to) && is_new(text, bytes)) ch_meta_add(CH_META_DEADLOCK, 0, (uint32_t)n, text, bytes);
    free(text);
}

void ch_deadlocks_write(JNIEnv *env) {
    struct ch_waiting *all;
    struct ch_silence silence = {0};
    uint32_t cycles;
    ch_silence(env, &silence);
    size_t n = ch_deadlocks(env, &all, &cycles), first = 0;
    ch_silence_end(env, &silence);
    for (size_t i = 1; i <= n; i++)
        if (i == n || all[i].cycle != all[first].cycle) {
            write_cycle(&all[first], i - first);
            first = i;
        }
    ch_waiting_free(all, n);
    ch_clock_mark();
}
