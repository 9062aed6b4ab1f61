/* Finds out which class loaders find the tracker. Each loader is asked once, when that is safe.
 *
 * A woven class refers to the tracker, and the JVM would ask the class's loader for it when the first probe runs: in
 * the middle of the program, with whatever locks are held then, and perhaps in the loader's own code. The JVM does not
 * ask a loader again for a class that it has found once. So
 * 1. a loader is asked when the first of its classes to be woven is being defined, on that thread, before the JVM gets
 *    the woven bytes. At that point the JVM also asks it for the class's supertypes. The loaders of the JDK are asked
 *    before the program starts.
 * 2. Classes that the loader defines meanwhile, on any thread, are not woven but wait. They are retransformed when the
 *    loader has answered or, if not linked by then, when they are linked, before any of their code runs. A thread waits
 *    only briefly for another thread's answer: the other thread may be waiting for a lock that this one holds.
 * 3. Classes loaded before the agent wait until that loader defines its next class. Who attaches, or exchanges rules,
 *    has it asked before, on a thread of its own, if it loads classes in parallel; if it has not answered after a
 *    while, its classes wait until it does.
 * 4. While security managers exist (up to JDK 23), the JVM checks the class's protection domain, too. For each new
 *    domain it takes the monitor of a loader that is not parallel capable again. So each domain is introduced while one
 *    of its classes is being defined, when the JVM holds that monitor anyway.
 * 5. If the loader refuses, its classes are not instrumented, with the reason. Failures that may be temporary are
 *    retried a few times.
 *
 * A loader's state is its JVMTI tag, which disappears with the loader.
 */
#include "../base/jdk_members.h"
#include "../base/waiting.h"
#include "classes.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state { UNKNOWN, ASKING, READY, REFUSES };
enum { STATE_BITS = 2, TRIES_BITS = 2, MOST_TRIES = 3, PATIENCE_MS = 250, ATTACHERS_PATIENCE_MS = 2000 };

/* A class that is not woven until its loader has answered. */
struct waiting {
    int64_t loader; /* the loader's number */
    char *name;
    jweak class; /* set once the class is linked */
    bool new;    /* its code may meanwhile have run, uncounted */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static struct waiting *list;
static size_t waiting, room;
static int64_t loaders; /* how many loaders have a number */
static bool always; /* ClassPrepare events are of use even if no class waits */
static jclass delegating; /* the class loader of reflection, before JDK 22 */
static jfieldID parent;

/* ---- a loader's tag: its number, failed tries, state */

static jlong tag_of(jobject loader) {
    jlong tag = 0;
    return (*ch_jvmti)->GetTag(ch_jvmti, loader, &tag) ? 0 : tag;
}

static enum state state_of(jlong tag) { return (enum state)(tag & ((1 << STATE_BITS) - 1)); }
static int tries_of(jlong tag) { return (int)(tag >> STATE_BITS & ((1 << TRIES_BITS) - 1)); }
static int64_t number_of(jlong tag) { return tag >> (STATE_BITS + TRIES_BITS); }

/* Lock held. */
static jlong set_state(jobject loader, jlong tag, int tries, enum state s) {
    int64_t number = tag ? number_of(tag) : ++loaders;
    tag = number << (STATE_BITS + TRIES_BITS) | (jlong)tries << STATE_BITS | (jlong)s;
    return (*ch_jvmti)->SetTag(ch_jvmti, loader, tag) ? 0 : tag;
}

int64_t ch_loader_number(jobject loader) { return loader ? number_of(tag_of(loader)) : 0; }

int64_t ch_loader_identify(jobject loader) {
    jlong tag = loader ? tag_of(loader) : 0;
    if (!loader || tag) return number_of(tag);
    pthread_mutex_lock(&lock);
    if (!(tag = tag_of(loader))) tag = set_state(loader, 0, 0, UNKNOWN);
    pthread_mutex_unlock(&lock);
    return number_of(tag);
}

/* ---- classes that wait */

static void forget(size_t i) {
    free(list[i].name);
    list[i] = list[--waiting];
}

/* Lock held. */
static bool wait_for(JNIEnv *env, int64_t loader, const char *name, jclass c) {
    if (waiting == room) {
        struct waiting *more = realloc(list, (room * 2 + 16) * sizeof *more);
        if (!more) return false;
        list = more;
        room = room * 2 + 16;
    }
    for (size_t i = 0; c && i < waiting; i++) /* already waiting: another agent may retransform it repeatedly */
        if (list[i].loader == loader && !strcmp(list[i].name, name)) return true;
    char *copy = strdup(name);
    if (!copy) return false;
    list[waiting++] = (struct waiting){loader, copy, c ? (*env)->NewWeakGlobalRef(env, c) : NULL, !c};
    return true;
}

static void say_late(size_t n, const char *name) {
    enum { MOST_SAID = 100 }; /* of any number of loaders */
    static uint32_t said;
    char text[1200];
    if (ch_add_relaxed(&said, 1) >= MOST_SAID) return;
    int bytes = snprintf(
        text, sizeof text,
        "%zu classes (%s ...) ran before their class loader knew the tracker: those calls are not counted", n, name);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
    if (bytes > 0) ch_meta_add(CH_META_NOTE, 0, 0, text, strlen(text));
}

static void watch_linking(bool on) {
    if (!always)
        ch_ok((*ch_jvmti)->SetEventNotificationMode(ch_jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                                    JVMTI_EVENT_CLASS_PREPARE, NULL),
              "ClassPrepare");
}

void ch_watch_linking(void) {
    watch_linking(true);
    always = true;
}

/* The loader has answered: retransforms its waiting classes that are linked, or records that it refused. */
static void take_up(JNIEnv *env, int64_t loader, bool ready, const char *why) {
    struct waiting *taken = NULL;
    size_t n = 0, linked = 0, late = 0;
    char first[1024] = "";
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < waiting; i++) n += list[i].loader == loader && (list[i].class || !ready);
    if (n) taken = calloc(n, sizeof *taken + sizeof(jclass));
    for (size_t i = 0, k = 0; taken && i < waiting;) {
        if (list[i].loader == loader && (list[i].class || !ready)) {
            taken[k++] = list[i];
            list[i] = list[--waiting];
        } else {
            i++;
        }
    }
    bool none = !waiting;
    pthread_mutex_unlock(&lock);
    if (!taken) return;
    jclass *classes = (jclass *)(taken + n);
    (void)ch_local_room(env, (jint)n + 16);
    for (size_t i = 0; i < n; i++) {
        jclass c = taken[i].class ? (*env)->NewLocalRef(env, taken[i].class) : NULL;
        if (!ready) ch_skip_matched(taken[i].name, "loader-refuses", why);
        if (ready && c) {
            if (taken[i].new && !late++) snprintf(first, sizeof first, "%s", taken[i].name);
            classes[linked++] = c;
        } else if (c) {
            (*env)->DeleteLocalRef(env, c);
        }
        if (taken[i].class) (*env)->DeleteWeakGlobalRef(env, taken[i].class);
        free(taken[i].name);
    }
    if (late) say_late(late, first);
    ch_retransform(env, (jint)linked, classes);
    for (size_t i = 0; i < linked; i++) (*env)->DeleteLocalRef(env, classes[i]);
    free(taken);
    if (none) watch_linking(false);
}

enum ch_linked ch_loader_linked(JNIEnv *env, jobject loader, jclass c, const char *name) {
    if (!loader || !ch_load_relaxed(&waiting)) return CH_NOT_WAITING;
    pthread_mutex_lock(&lock);
    jlong tag = tag_of(loader);
    size_t i = 0;
    while (i < waiting && (list[i].loader != number_of(tag) || list[i].class || strcmp(list[i].name, name))) i++;
    bool waits = i < waiting, ready = waits && state_of(tag) == READY;
    if (ready)
        forget(i);
    else if (waits)
        list[i].class = (*env)->NewWeakGlobalRef(env, c);
    bool none = !waiting;
    pthread_mutex_unlock(&lock);
    if (ready && none) watch_linking(false);
    return ready ? CH_TO_RETRANSFORM : waits ? CH_WAITS_ON : CH_NOT_WAITING;
}

/* Waits for another thread's answer; lock held. Only once in vain for one loader: many classes may be its. */
static jlong wait_a_moment(jobject loader, jlong tag, uint64_t ms) {
    static __thread int64_t in_vain;
    if (in_vain == number_of(tag)) return tag;
    const struct timespec until = ch_in_ms(CLOCK_REALTIME, ms);
    while (state_of(tag) == ASKING && !pthread_cond_timedwait(&answered, &lock, &until)) tag = tag_of(loader);
    if (state_of(tag) == ASKING) in_vain = number_of(tag);
    return tag;
}

static void told(JNIEnv *env, jobject loader, bool ready, bool mishap, const char *why) {
    pthread_mutex_lock(&lock);
    jlong tag = tag_of(loader);
    set_state(loader, tag, tries_of(tag), ready ? READY : mishap ? UNKNOWN : REFUSES);
    pthread_cond_broadcast(&answered);
    pthread_mutex_unlock(&lock);
    if (ready || !mishap) take_up(env, number_of(tag), ready, why);
}

/* An attaching thread asks loaders that are older than the agent, on a thread that holds no lock: those that let
 * several threads load classes at once. Of another one it would take the lock, which the program may hold for long. */
void ch_loader_ask_now(JNIEnv *env, jobject loader) {
    if (!loader) return;
    pthread_mutex_lock(&lock);
    jlong tag = tag_of(loader);
    bool ask = state_of(tag) == UNKNOWN && ch_is_parallel(env, loader);
    if (ask) tag = set_state(loader, tag, tries_of(tag), ASKING);
    pthread_mutex_unlock(&lock);
    if (!ask) return;
    bool asked = ch_query_loader_on_thread(env, loader, told);
    pthread_mutex_lock(&lock);
    if (asked)
        wait_a_moment(loader, tag_of(loader), ATTACHERS_PATIENCE_MS);
    else
        set_state(loader, tag, tries_of(tag), UNKNOWN);
    pthread_mutex_unlock(&lock);
}

/* ---- called by the hook */

enum ch_loader ch_loader_ready(JNIEnv *env, jobject loader, jobject domain, jclass redefined, const char *name) {
    static __thread int asking; /* how many loaders this thread is asking */
    char why[600] = "";
    jobject of_delegating = NULL;
    if (!loader) return CH_LOADER_READY;
    if (delegating && (*env)->IsInstanceOf(env, loader, delegating)) { /* ask its parent instead */
        loader = of_delegating = (*env)->GetObjectField(env, loader, parent);
        if (!loader) return CH_LOADER_READY;
    }
    pthread_mutex_lock(&lock);
    jlong tag = tag_of(loader);
    if (state_of(tag) == ASKING && !asking) tag = wait_a_moment(loader, tag, PATIENCE_MS);
    enum state now = state_of(tag);
    bool own_moment = now == UNKNOWN && !redefined && !of_delegating;
    if (!tag || own_moment) tag = set_state(loader, tag, tries_of(tag), own_moment ? ASKING : UNKNOWN);
    pthread_mutex_unlock(&lock);
    if (own_moment) {
        bool mishap;
        asking++;
        bool ready = ch_query_loader(env, loader, why, sizeof why, &mishap);
        asking--;
        int tries = tries_of(tag) + mishap;
        now = ready ? READY : mishap && tries < MOST_TRIES ? UNKNOWN : REFUSES;
        pthread_mutex_lock(&lock);
        set_state(loader, tag, tries, now);
        pthread_cond_broadcast(&answered);
        pthread_mutex_unlock(&lock);
        if (now != UNKNOWN) take_up(env, number_of(tag), ready, why);
    }
    if (now == READY && !redefined && !of_delegating) ch_introduce(env, loader, domain, number_of(tag));
    if (of_delegating) (*env)->DeleteLocalRef(env, of_delegating);
    if (now == READY) return CH_LOADER_READY;
    if (now == REFUSES) {
        ch_skip_matched(name, "loader-refuses", *why ? why : "it did not find the tracker for an earlier class");
        return CH_LOADER_REFUSES;
    }
    pthread_mutex_lock(&lock);
    bool first = wait_for(env, number_of(tag), name, redefined) && waiting == 1;
    pthread_mutex_unlock(&lock);
    if (first) watch_linking(true);
    return CH_LOADER_WAITS;
}

/* ---- start and end */

/* The JDK's two loaders. A program may replace the system class loader; its own is asked like any other. */
static void ask_builtin(JNIEnv *env, enum ch_jdk getter) {
    char why[600];
    bool mishap;
    jclass owner = NULL;
    jmethodID get = ch_jdk_method(env, getter, &owner);
    jobject loader = get ? (*env)->CallStaticObjectMethod(env, owner, get) : NULL;
    (*env)->ExceptionClear(env);
    if (!loader) return;
    bool ready = ch_query_loader(env, loader, why, sizeof why, &mishap);
    set_state(loader, 0, 0, ready ? READY : REFUSES);
    (*env)->DeleteLocalRef(env, loader);
}

bool ch_loaders_start(JNIEnv *env) {
    jclass reflections = ch_jdk_class(env, CH_JDK_DELEGATING_LOADER);
    delegating = reflections ? (*env)->NewGlobalRef(env, reflections) : NULL;
    parent = ch_jdk_field(env, CH_JDK_LOADER_PARENT, NULL);
    if (!ch_loader_query_start(env) || !parent) return false;
    ask_builtin(env, CH_JDK_PLATFORM_LOADER);
    ask_builtin(env, CH_JDK_APP_LOADER);
    return true;
}

size_t ch_loaders_waiting(void) { return ch_load_relaxed(&waiting); }

void ch_loaders_say_waiting(void) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < waiting; i++)
        if (list[i].class)
            ch_skip_matched(list[i].name, "loader-not-asked",
                            "its class loader is older than the agent and defined no class since");
    pthread_mutex_unlock(&lock);
}
