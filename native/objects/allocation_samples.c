/* Objects that the JVM samples as they are allocated (SampledObjectAlloc), for all of the agent's parts that want some:
 * it gives them to one environment only.
 *
 * 1. The distances between two samples are random, with the interval as their mean. So an object of s bytes is sampled
 *    with the probability p = 1 - exp(-s / interval), whatever else happens. The interval is the least that is wanted.
 * 2. A sampler that wants fewer gets an object with its own probability, divided by p: it is as if the JVM sampled for
 *    it alone, and its estimates do not change when others come and go.
 * 3. A thread draws its first distance when it is made. So the first thread's is drawn with the right mean only if that
 *    is set before the thread is there; and it still has room for objects that the JVM does not look at: garbage is
 *    allocated there until it does.
 * 4. When no sampler wants samples any more, other agents may have them.
 */
#include "objects.h"
#include <math.h>
#include <pthread.h>

enum {
    MOST_INTERVAL = 1 << 30,
    GARBAGE = 1 << 11,
    MOST_GARBAGE = 4 << 20,
    /* bytes */ SUPPORT_VIRTUAL_THREADS = 44 /* as in contention.c */,
    VIRTUAL_THREADS = 21
};

static jvmtiEnv *own;
static bool granted; /* the environment has the samples */
static uint64_t interval = CH_USUAL_INTERVAL; /* that is in force */
static struct ch_sample_taker *takers; /* once there, they stay there */
static __thread bool discards, discarded;
static __thread uint64_t chances; /* the state of random numbers */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the takers, for those who change them */

static double probability(jlong size, uint64_t every) { return every ? -expm1(-(double)size / (double)every) : 1; }

static bool is_for(const struct ch_sample_taker *t, jlong size, uint64_t every) {
    if (t->every <= every) return true;
    if (!chances) chances = (uint64_t)(uintptr_t)&chances * 0x9E3779B97F4A7C15u ^ ch_monotonic_ns();
    return (double)ch_random_below(&chances, UINT32_MAX) <
           probability(size, t->every) / probability(size, every) * UINT32_MAX;
}

static void JNICALL allocated(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object, jclass class, jlong size) {
    uint64_t every = ch_load_relaxed(&interval);
    (void)jvmti;
    discarded = true;
    if (discards) return;
    for (struct ch_sample_taker *t = ch_load_acquire(&takers); t; t = t->next)
        if (ch_load_acquire(&t->takes) && is_for(t, size, every)) t->take(env, thread, object, class, size);
}

/* ---- who wants them; all under the lock */

static bool be_granted(void) {
    static const jvmtiCapabilities samples = {.can_generate_sampled_object_alloc_events = 1};
    static const jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = allocated};
    jvmtiCapabilities virtual = {0};
    if (granted) return true;
    if (!own && (*ch_vm)->GetEnv(ch_vm, (void **)&own, JVMTI_VERSION_11)) own = NULL;
    if (!own || (*own)->AddCapabilities(own, &samples)) return false;
    ((unsigned char *)&virtual)[SUPPORT_VIRTUAL_THREADS / 8] |= 1u << SUPPORT_VIRTUAL_THREADS % 8;
    if (ch_jvm_version >= VIRTUAL_THREADS)
        (void)(*own)->AddCapabilities(own, &virtual); /* without: what they allocate is not seen */
    ch_values_sampled(own);
    return granted = !(*own)->SetEventCallbacks(own, &callbacks, sizeof callbacks);
}

static bool set_interval(void) {
    uint64_t least = MOST_INTERVAL;
    for (const struct ch_sample_taker *t = takers; t; t = t->next)
        if (t->wants && t->every < least) least = t->every;
    ch_store_relaxed(&interval, least);
    /* 0: each object, where 1 leaves out some */
    return !(*own)->SetHeapSamplingInterval(own, least > 1 ? (jint)least : 0);
}

static bool want(struct ch_sample_taker *t, uint64_t every) {
    const struct ch_sample_taker *known = takers;
    if (!be_granted()) return false;
    while (known && known != t) known = known->next;
    t->every = every < MOST_INTERVAL ? every : MOST_INTERVAL;
    t->wants = true;
    if (!known) {
        t->next = takers;
        ch_store_release(&takers, t);
    }
    return set_interval();
}

static void give_back(void) {
    static const jvmtiCapabilities samples = {.can_generate_sampled_object_alloc_events = 1};
    (void)(*own)->SetHeapSamplingInterval(own, CH_USUAL_INTERVAL);
    granted = (*own)->RelinquishCapabilities(own, &samples);
}

static bool listen(jvmtiEventMode mode) {
    return !(*own)->SetEventNotificationMode(own, mode, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
}

/* ---- for the other parts */

/* Until the JVM samples what this thread allocates. */
static void allocate_garbage(JNIEnv *env) {
    discards = true;
    discarded = false;
    for (size_t bytes = 0; !discarded && bytes < MOST_GARBAGE; bytes += GARBAGE) {
        jobject garbage = (*env)->NewByteArray(env, GARBAGE);
        if (!garbage) break;
        (*env)->DeleteLocalRef(env, garbage);
    }
    (*env)->ExceptionClear(env);
    discards = false;
}

bool ch_samples_plan(struct ch_sample_taker *t, uint64_t every) {
    pthread_mutex_lock(&lock);
    bool well = want(t, every);
    pthread_mutex_unlock(&lock);
    return well;
}

bool ch_samples_start(struct ch_sample_taker *t, uint64_t every, JNIEnv *env) {
    pthread_mutex_lock(&lock);
    bool well = want(t, every) && listen(JVMTI_ENABLE);
    ch_store_release(&t->takes, well);
    pthread_mutex_unlock(&lock);
    if (well && env) allocate_garbage(env);
    if (!well) ch_samples_stop(t);
    return well;
}

void ch_samples_stop(struct ch_sample_taker *t) {
    bool others = false;
    pthread_mutex_lock(&lock);
    ch_store_release(&t->takes, false);
    t->wants = false;
    for (const struct ch_sample_taker *one = takers; one; one = one->next) others |= one->wants;
    if (granted && others) (void)set_interval();
    if (granted && !others) {
        listen(JVMTI_DISABLE);
        give_back();
    }
    pthread_mutex_unlock(&lock);
}
