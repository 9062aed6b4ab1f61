/* Which class loaders find the tracker: asked once, at a moment of their own.
 *
 * A woven class names the tracker, and the JVM would ask the class's loader for it when the first probe runs: in the midst of the program,
 * with whatever locks it holds then, and perhaps in the loader's own code. What a loader has found once, the JVM does not ask it for again.
 * So
 * 1. a loader is asked when the first of its classes to be woven is being defined, on that thread, before the JVM gets the woven bytes: where
 *    the JVM asks it for the class's supertypes, too. The loaders of the JDK are asked before there is a program.
 * 2. What it loads meanwhile, on that thread or on others, stays as it is, and waits: it is retransformed when the answer is there, or if it
 *    has not been linked by then, when it is, before any code of it runs. Nobody waits long for another thread's answer: that one may wait
 *    for a lock of ours.
 * 3. What was loaded before the agent, by a loader of another agent's, waits until that loader defines its next class.
 * 4. While there are security managers (up to JDK 23), the JVM goes by the class's protection domain, too: for another one it takes the
 *    monitor of a loader that is not parallel capable once more. So each domain is introduced while a class of it is being defined, when
 *    the JVM holds that monitor anyway.
 * 5. Where the loader refuses, its classes stay as they are, with the reason. What may have been a mishap is tried again, a few times.
 *
 * A loader's state is its JVMTI tag, which goes with it.
 */
#include "agent.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum state { UNKNOWN, ASKING, READY, REFUSES };
enum { STATE_BITS = 2, TRIES_BITS = 2, MOST_TRIES = 3, PATIENCE_MS = 20 };

/* A class that was left as it is until its loader is known. */
struct waiting {
    int64_t loader; /* its number */
    char *name;
    jweak class; /* once it is linked */
    bool new;    /* its code may have run meanwhile, uncounted */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static struct waiting *list;
static size_t waiting, room;
static int64_t loaders; /* so many have a number */
static jclass class_class, tracker, delegating;
static jstring tracker_name;
static jmethodID for_name;
static jfieldID parent, lock_map;
static jclass loader_class;
static jmethodID define, new_loader;

/* ---- a loader's tag: its number, how often it was asked in vain, its state */

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

/* ---- asking */

/* By the JVM's own native, so that nothing of ours runs through woven code but what the loader does itself. */
jclass ch_class_for_name(JNIEnv *env, jstring name, jobject loader) {
    jclass found = (*env)->CallStaticObjectMethod(env, class_class, for_name, name, JNI_FALSE, loader, NULL);
    return (*env)->ExceptionCheck(env) ? NULL : found;
}

static bool name_of_class(jclass c, char *to, size_t size) {
    char *signature = NULL;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL) || !signature) return false;
    size_t n = strlen(signature);
    snprintf(to, size, "%.*s", n > 2 ? (int)n - 2 : 0, signature + 1); /* L...; */
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return true;
}

/* Its answer; `why`, where that is no, and whether another time may be better. */
static bool ask(JNIEnv *env, jobject loader, char *why, size_t size, bool *mishap) {
    char thrown[256] = "another class", own[256] = "?";
    *mishap = false;
    if ((*env)->PushLocalFrame(env, 16)) {
        (*env)->ExceptionClear(env);
        *mishap = true;
        return false;
    }
    struct ch_silence silence = {NULL, NULL};
    ch_silence(env, &silence);
    jclass found = ch_class_for_name(env, tracker_name, loader);
    jthrowable error = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    ch_silence_end(env, &silence);
    bool yes = found && (*env)->IsSameObject(env, found, tracker);
    if (!yes) {
        name_of_class((*env)->GetObjectClass(env, loader), own, sizeof own);
        if (error) name_of_class((*env)->GetObjectClass(env, error), thrown, sizeof thrown);
        *mishap = error && strcmp(thrown, "java/lang/ClassNotFoundException") && strcmp(thrown, "java/lang/NoClassDefFoundError");
        snprintf(why, size, "%s does not find java.lang.ClasshookTracker: %s", own, thrown);
        for (char *c = why; *c; c++)
            if (*c == '/') *c = '.';
    }
    (*env)->PopLocalFrame(env, NULL);
    return yes;
}

/* Has the JVM know that code of this domain may name the tracker: a class of the domain asks, of which nothing remains. It has a loader of
 * its own, of the JDK's making, since the boot loader's classes have no domains. */
static void introduce(JNIEnv *env, jobject loader, jobject domain, int64_t number) {
    static const unsigned char caller[] = {
        0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 49, 0, 5, 1, 0, 15, 'C', 'l', 'a', 's', 's', 'h', 'o', 'o', 'k', 'C', 'a', 'l', 'l', 'e', 'r', 7, 0, 1,
        1, 0, 16, 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'O', 'b', 'j', 'e', 'c', 't', 7, 0, 3,
        0, 0x30, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0,
    };
    jlong known = 0;
    if (!define || !domain) return;
    jobject locks = (*env)->GetObjectField(env, loader, lock_map); /* parallel capable loaders have one */
    if (locks) (*env)->DeleteLocalRef(env, locks);
    if (locks || (*env)->PushLocalFrame(env, 16)) return;
    if (!(*ch_jvmti)->GetTag(ch_jvmti, domain, &known) && known != number) {
        jbyteArray bytes = (*env)->NewByteArray(env, sizeof caller);
        jstring name = (*env)->NewStringUTF(env, "ClasshookCaller");
        jobject own = (*env)->NewObject(env, loader_class, new_loader, NULL);
        ch_self.introducing = true;
        if (bytes && name && own) {
            (*env)->SetByteArrayRegion(env, bytes, 0, sizeof caller, (const jbyte *)caller);
            jclass c = (*env)->CallStaticObjectMethod(env, loader_class, define, own, name, bytes, 0, (jint)sizeof caller, domain, NULL);
            if (!(*env)->ExceptionCheck(env)) (*env)->CallStaticObjectMethod(env, class_class, for_name, tracker_name, JNI_FALSE, loader, c);
        }
        ch_self.introducing = false;
        (*env)->ExceptionClear(env);
        (*ch_jvmti)->SetTag(ch_jvmti, domain, number);
    }
    (*env)->PopLocalFrame(env, NULL);
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
    for (size_t i = 0; c && i < waiting; i++) /* other agents retransform it as often as they like */
        if (list[i].loader == loader && !strcmp(list[i].name, name)) return true;
    char *copy = strdup(name);
    if (!copy) return false;
    list[waiting++] = (struct waiting){loader, copy, c ? (*env)->NewWeakGlobalRef(env, c) : NULL, !c};
    return true;
}

static void say_late(size_t n, const char *name) {
    char text[1200];
    int bytes = snprintf(text, sizeof text, "%zu classes (%s ...) ran before their class loader knew the tracker: those calls are not counted", n, name);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
    if (bytes > 0) ch_meta_add(CH_META_NOTE, 0, 0, text, strlen(text));
}

static void watch_linking(bool on) {
    ch_ok((*ch_jvmti)->SetEventNotificationMode(ch_jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, NULL), "ClassPrepare");
}

/* The loader has answered: what waited and is linked is taken up. */
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
    (*env)->EnsureLocalCapacity(env, (jint)n + 16);
    for (size_t i = 0; i < n; i++) {
        jclass c = taken[i].class ? (*env)->NewLocalRef(env, taken[i].class) : NULL;
        if (!ready) ch_hook_leave(taken[i].name, "loader-refuses", why);
        if (ready && c) {
            if (taken[i].new && !late++) snprintf(first, sizeof first, "%s", taken[i].name);
            classes[linked++] = c;
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

void JNICALL ch_class_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass c) {
    jobject loader = NULL;
    char name[1024];
    (void)thread;
    if (!__atomic_load_n(&waiting, __ATOMIC_RELAXED) || (*jvmti)->GetClassLoader(jvmti, c, &loader) || !loader) return;
    if (!name_of_class(c, name, sizeof name)) return;
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
    if (ready) ch_retransform(env, 1, &c);
    if (ready && none) watch_linking(false);
    (*env)->DeleteLocalRef(env, loader);
}

/* ---- what the hook asks */

/* A moment for another thread's answer; lock held. */
static jlong wait_a_moment(jobject loader, jlong tag) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (state_of(tag) == ASKING && !pthread_cond_timedwait(&answered, &lock, &until)) tag = tag_of(loader);
    return tag;
}

enum ch_loader ch_loader_ready(JNIEnv *env, jobject loader, jobject domain, jclass redefined, const char *name) {
    static __thread int asking; /* loaders, on this thread */
    char why[600] = "";
    jobject of_delegating = NULL;
    if (!loader) return CH_LOADER_READY;
    if (delegating && (*env)->IsInstanceOf(env, loader, delegating)) { /* reflection's, before 22: its parent is asked in its place */
        loader = of_delegating = (*env)->GetObjectField(env, loader, parent);
        if (!loader) return CH_LOADER_READY;
    }
    pthread_mutex_lock(&lock);
    jlong tag = tag_of(loader);
    if (state_of(tag) == ASKING && !asking) tag = wait_a_moment(loader, tag);
    enum state now = state_of(tag);
    bool own_moment = now == UNKNOWN && !redefined && !of_delegating;
    if (!tag || own_moment) tag = set_state(loader, tag, tries_of(tag), own_moment ? ASKING : UNKNOWN);
    pthread_mutex_unlock(&lock);
    if (own_moment) {
        bool mishap;
        asking++;
        bool ready = ask(env, loader, why, sizeof why, &mishap);
        asking--;
        int tries = tries_of(tag) + mishap;
        now = ready ? READY : mishap && tries < MOST_TRIES ? UNKNOWN : REFUSES;
        pthread_mutex_lock(&lock);
        set_state(loader, tag, tries, now);
        pthread_cond_broadcast(&answered);
        pthread_mutex_unlock(&lock);
        if (now != UNKNOWN) take_up(env, number_of(tag), ready, why);
    }
    if (now == READY && !redefined && !of_delegating) introduce(env, loader, domain, number_of(tag));
    if (of_delegating) (*env)->DeleteLocalRef(env, of_delegating);
    if (now == READY) return CH_LOADER_READY;
    if (now == REFUSES) {
        ch_hook_leave(name, "loader-refuses", *why ? why : "it did not find the tracker for an earlier class");
        return CH_LOADER_REFUSES;
    }
    pthread_mutex_lock(&lock);
    bool first = wait_for(env, number_of(tag), name, redefined) && waiting == 1;
    pthread_mutex_unlock(&lock);
    if (first) watch_linking(true);
    return CH_LOADER_WAITS;
}

/* ---- start and end */

/* The JDK's own two; a program may put another in the place of the second, which is asked like any other. */
static void ask_builtin(JNIEnv *env, jclass loaders_class, const char *method) {
    char why[600];
    bool mishap;
    jmethodID get = (*env)->GetStaticMethodID(env, loaders_class, method, "()Ljava/lang/ClassLoader;");
    jobject loader = get ? (*env)->CallStaticObjectMethod(env, loaders_class, get) : NULL;
    (*env)->ExceptionClear(env);
    if (!loader) return;
    bool ready = ask(env, loader, why, sizeof why, &mishap);
    set_state(loader, 0, 0, ready ? READY : REFUSES);
    (*env)->DeleteLocalRef(env, loader);
}

jclass ch_boot_class(JNIEnv *env, const char *name) {
    jstring text = (*env)->NewStringUTF(env, name);
    jclass c = text ? ch_class_for_name(env, text, NULL) : NULL;
    (*env)->ExceptionClear(env);
    return c;
}

bool ch_loaders_prepare(JNIEnv *env, jclass the_tracker) {
    jclass c = (*env)->FindClass(env, "java/lang/Class");
    class_class = c ? (*env)->NewGlobalRef(env, c) : NULL;
    for_name = class_class ? (*env)->GetStaticMethodID(env, class_class, "forName0",
                                                       "(Ljava/lang/String;ZLjava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/Class;")
                           : NULL;
    tracker = (*env)->NewGlobalRef(env, the_tracker);
    return for_name && tracker;
}

bool ch_loaders_start(JNIEnv *env) {
    jstring name = (*env)->NewStringUTF(env, "java.lang.ClasshookTracker");
    enum { LAST_WITH_SECURITY_MANAGERS = 23 };
    jclass loader = ch_boot_class(env, "java.lang.ClassLoader"), builtin = ch_boot_class(env, "jdk.internal.loader.ClassLoaders");
    jclass reflections = ch_boot_class(env, "jdk.internal.reflect.DelegatingClassLoader");
    tracker_name = name ? (*env)->NewGlobalRef(env, name) : NULL;
    delegating = reflections ? (*env)->NewGlobalRef(env, reflections) : NULL;
    parent = loader ? (*env)->GetFieldID(env, loader, "parent", "Ljava/lang/ClassLoader;") : NULL;
    if (!tracker_name || !builtin || !parent) return false;
    if (ch_jvm_version <= LAST_WITH_SECURITY_MANAGERS && (lock_map = (*env)->GetFieldID(env, loader, "parallelLockMap", "Ljava/util/concurrent/ConcurrentHashMap;"))) {
        jclass concrete = ch_boot_class(env, "java.security.SecureClassLoader");
        loader_class = concrete ? (*env)->NewGlobalRef(env, concrete) : NULL;
        new_loader = concrete ? (*env)->GetMethodID(env, concrete, "<init>", "(Ljava/lang/ClassLoader;)V") : NULL;
        define = new_loader ? (*env)->GetStaticMethodID(env, concrete, "defineClass1",
                                                        "(Ljava/lang/ClassLoader;Ljava/lang/String;[BIILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;")
                            : NULL;
    }
    (*env)->ExceptionClear(env);
    ask_builtin(env, builtin, "platformClassLoader");
    ask_builtin(env, builtin, "appClassLoader");
    return true;
}

void ch_loaders_say_waiting(void) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < waiting; i++)
        if (list[i].class) ch_hook_leave(list[i].name, "loader-not-asked", "its class loader was there before the agent, and defined no class since");
    pthread_mutex_unlock(&lock);
}
