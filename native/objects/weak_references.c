/* Sets of weak references: which of their objects the garbage collector has freed.
 *
 * 1. JVMTI's event for that, ObjectFree, can hang the JVM for ever (HotSpot 17 to 25): enabling or disabling it,
 *    exchanging callbacks, disposing of the environment and, from JDK 20 on, the JVM's own end wait for the thread that
 *    posts these events, without letting a safepoint begin. That thread waits for a safepoint to end. So no environment
 *    of the agent enables it.
 * 2. After each garbage collection (GarbageCollectionFinish) a thread of the agent looks which references were cleared.
 *    It also deletes them. It rests between two rounds, so that it takes a tenth of a CPU at most.
 * 3. The JVM is not called with the lock held: a thread that is suspended there would stop all others that allocate.
 *    Only the thread of the agent, or the one that closes a set, frees entries: an entry that it has copied stays what
 *    it was.
 */
#include "../base/waiting.h"
#include "objects.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum {
    CHUNK = 4096,
    BATCH = 256,
    PATIENCE_MS = 3000,
    REST = 10 /* times what a round took */,
    LEAST_REST_NS = 1000000
};

struct entry {
    jweak reference; /* NULL: free */
    uint64_t number; /* 0: of no interest any more; of a free one the next free one, from 1 on */
};
struct ch_weak_entries {
    struct entry **chunks;
    uint32_t used, spare, room;
    uint32_t looks; /* how far a round has come, to see that it goes on */
    bool busy, dropped; /* a thread looks at them; their owner has given them up */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static pthread_cond_t changed;
static struct ch_weak_set *sets; /* that are open */
static bool runs;
static sem_t collections;
static jvmtiEnv *collecting; /* tells of them */
static jobject own;
/* the JVM's own: JVMPI may put one around it, for what the program does */
static jweak(JNICALL *new_reference)(JNIEnv *env, jobject object);
static void(JNICALL *delete_reference)(JNIEnv *env, jweak reference);

void ch_weak_prepare(JNIEnv *env) {
    if (new_reference) return;
    new_reference = (*env)->NewWeakGlobalRef;
    delete_reference = (*env)->DeleteWeakGlobalRef;
}

/* ---- entries, under the lock */

static struct entry *entry_at(struct ch_weak_entries *e, uint32_t i) { return &e->chunks[i / CHUNK][i % CHUNK]; }

static bool add_chunk(struct ch_weak_entries *e) {
    uint32_t n = e->used / CHUNK, room = n < e->room ? e->room : e->room * 2 + 16;
    struct entry **more = n < e->room ? e->chunks : realloc(e->chunks, room * sizeof *more);
    if (!more) return false;
    e->chunks = more;
    e->room = room;
    return (e->chunks[n] = malloc(CHUNK * sizeof **more));
}

/* Places an entry; its number from 1 on; 0: no memory. */
static uint32_t place(struct ch_weak_entries *e, struct entry content) {
    uint32_t i = e->spare;
    if (i) {
        e->spare = (uint32_t)entry_at(e, i - 1)->number;
    } else {
        if (e->used == UINT32_MAX || (e->used % CHUNK == 0 && !add_chunk(e))) return 0;
        i = ++e->used;
    }
    *entry_at(e, i - 1) = content;
    return i;
}

/* ---- a round */

struct seen {
    uint32_t at;
    bool gone;
    struct entry entry;
};

/* The next ones, `n` of them, maybe none; false: there are no more. */
static bool copy(struct ch_weak_entries *e, uint32_t *from, struct seen *to, uint32_t *n) {
    pthread_mutex_lock(&lock);
    bool more = *from < e->used;
    e->looks++;
    uint32_t end = e->used - *from < CHUNK ? e->used : *from + CHUNK;
    for (*n = 0; *from < end && *n < BATCH; ++*from)
        if (entry_at(e, *from)->reference) to[(*n)++] = (struct seen){*from, false, *entry_at(e, *from)};
    pthread_mutex_unlock(&lock);
    return more;
}

/* The numbers may have changed meanwhile. */
static void take_out(struct ch_weak_entries *e, struct seen *seen, uint32_t n) {
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < n; i++) {
        struct entry *one = entry_at(e, seen[i].at);
        if (!seen[i].gone) continue;
        seen[i].entry.number = e->dropped ? 0 : one->number;
        *one = (struct entry){NULL, e->spare};
        e->spare = seen[i].at + 1;
    }
    pthread_mutex_unlock(&lock);
}

static void look(JNIEnv *env, struct ch_weak_entries *e, void (*freed)(uint64_t)) {
    struct seen seen[BATCH];
    for (uint32_t from = 0, n; copy(e, &from, seen, &n);) {
        for (uint32_t i = 0; i < n; i++)
            seen[i].gone = !seen[i].entry.number || (*env)->IsSameObject(env, seen[i].entry.reference, NULL);
        take_out(e, seen, n);
        for (uint32_t i = 0; i < n; i++) {
            if (!seen[i].gone) continue;
            delete_reference(env, seen[i].entry.reference);
            if (seen[i].entry.number) freed(seen[i].entry.number);
        }
    }
}

static void destroy(JNIEnv *env, struct ch_weak_entries *e) {
    for (uint32_t i = 0; i < e->used; i++)
        if (entry_at(e, i)->reference) delete_reference(env, entry_at(e, i)->reference);
    for (uint32_t i = 0; i * CHUNK < e->used; i++) free(e->chunks[i]);
    free(e->chunks);
    free(e);
}

/* ---- the thread */

/* Lock held, which is given up meanwhile. If a set is closed then, there is another round. */
static void round_of_all(JNIEnv *env) {
    for (struct ch_weak_set *s = sets; s; s = s->next) {
        struct ch_weak_entries *e = s->entries;
        if (e->busy) continue; /* another thread looks at them */
        e->busy = true;
        pthread_mutex_unlock(&lock);
        look(env, e, s->freed);
        pthread_mutex_lock(&lock);
        e->busy = false;
        pthread_cond_broadcast(&changed);
        if (!e->dropped) continue;
        pthread_mutex_unlock(&lock);
        destroy(env, e);
        pthread_mutex_lock(&lock);
    }
}

/* Lock held, which is given up meanwhile. */
static void rest(uint64_t took) {
    const struct timespec until =
        ch_moment(ch_monotonic_ns() + (took * REST > LEAST_REST_NS ? took * REST : LEAST_REST_NS));
    while (sets && !pthread_cond_timedwait(&changed, &lock, &until)) {}
}

static void JNICALL work(jvmtiEnv *jvmti, JNIEnv *env, void *unused) {
    (void)jvmti, (void)unused;
    ch_thread_ended(env, own); /* it needs no counters */
    ch_java_thread_ended(); /* nor samples: it is not the program's */
    prctl(PR_SET_NAME, "classhook freed");
    pthread_mutex_lock(&lock);
    while (sets) {
        pthread_mutex_unlock(&lock);
        while (sem_wait(&collections)) {}
        while (!sem_trywait(&collections)) {}
        uint64_t began = ch_monotonic_ns();
        pthread_mutex_lock(&lock);
        round_of_all(env);
        rest(ch_monotonic_ns() - began);
    }
    jobject thread = own;
    runs = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    (*env)->DeleteGlobalRef(env, thread);
}

/* On the JVM's own thread, while all others stand still. */
static void JNICALL collected(jvmtiEnv *jvmti) {
    (void)jvmti;
    sem_post(&collections);
}

static bool listen(jvmtiEventMode mode) {
    return !(*collecting)->SetEventNotificationMode(collecting, mode, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, NULL);
}

/* Once. */
static bool prepare(void) {
    static const jvmtiCapabilities wanted = {.can_generate_garbage_collection_events = 1};
    static const jvmtiEventCallbacks callbacks = {.GarbageCollectionFinish = collected};
    if (collecting) return true;
    jvmtiEnv *made = NULL;
    if (sem_init(&collections, 0, 0) || !ch_condition_init(&changed) ||
        (*ch_vm)->GetEnv(ch_vm, (void **)&made, JVMTI_VERSION_1_2))
        return false;
    if ((*made)->AddCapabilities(made, &wanted) || (*made)->SetEventCallbacks(made, &callbacks, sizeof callbacks)) {
        (void)(*made)->DisposeEnvironment(made); /* it has enabled no event */
        return false;
    }
    collecting = made;
    return true;
}

/* Lock held, which is given up meanwhile; not for ever, since the thread may be suspended. */
static void await_while(const bool *condition) {
    const struct timespec end = ch_in_ms(CLOCK_MONOTONIC, PATIENCE_MS);
    while (*condition && !pthread_cond_timedwait(&changed, &lock, &end)) {}
}

/* Lock held, which is given up meanwhile: until a round has ended, as long as it goes on. References that it has not
 * come to would not be reported. */
static void await_round(struct ch_weak_entries *e) {
    for (uint32_t before = e->looks - 1; e->busy && e->looks != before;) {
        before = e->looks;
        await_while(&e->busy);
    }
}

/* Lock held. No thread looks at it any more, unless it is still busy. */
static void unlist(struct ch_weak_set *s) {
    struct ch_weak_set **at = &sets;
    while (*at && *at != s) at = &(*at)->next;
    if (*at) *at = s->next;
    s->next = NULL;
    sem_post(&collections);
    pthread_cond_broadcast(&changed);
    await_round(s->entries);
}

/* ---- for the other parts */

bool ch_weak_open(struct ch_weak_set *s, JNIEnv *env) {
    if (s->entries) return true;
    struct ch_weak_entries *e = new_reference && prepare() && listen(JVMTI_ENABLE) ? calloc(1, sizeof *e) : NULL;
    if (!e) return false;
    pthread_mutex_lock(&lock);
    s->entries = e;
    s->next = sets;
    sets = s;
    bool starts = !runs;
    runs = true;
    pthread_mutex_unlock(&lock);
    if (!starts) return true;
    own = ch_new_thread(env, "classhook freed");
    if (own && !(*ch_jvmti)->RunAgentThread(ch_jvmti, own, work, NULL, JVMTI_THREAD_NORM_PRIORITY)) return true;
    if (own) (*env)->DeleteGlobalRef(env, own);
    pthread_mutex_lock(&lock);
    runs = false;
    unlist(s);
    s->entries = NULL;
    pthread_mutex_unlock(&lock);
    destroy(env, e);
    return false;
}

uint32_t ch_weak_add(struct ch_weak_set *s, JNIEnv *env, jobject object, uint64_t number) {
    jweak reference = s->entries && !ch_is_value(env, object) ? new_reference(env, object) : NULL;
    if (!reference) {
        if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
        return 0;
    }
    pthread_mutex_lock(&lock);
    uint32_t at = s->entries ? place(s->entries, (struct entry){reference, number}) : 0;
    pthread_mutex_unlock(&lock);
    if (!at) delete_reference(env, reference);
    return at;
}

uint64_t ch_weak_number(struct ch_weak_set *s, uint32_t at) {
    pthread_mutex_lock(&lock);
    uint64_t number = s->entries && at && at <= s->entries->used ? entry_at(s->entries, at - 1)->number : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

void ch_weak_renumber(struct ch_weak_set *s, uint32_t at, uint64_t number) {
    pthread_mutex_lock(&lock);
    if (s->entries && at && at <= s->entries->used) entry_at(s->entries, at - 1)->number = number;
    pthread_mutex_unlock(&lock);
}

uint32_t ch_weak_count(struct ch_weak_set *s) {
    pthread_mutex_lock(&lock);
    uint32_t n = s->entries ? s->entries->used : 0;
    pthread_mutex_unlock(&lock);
    return n;
}

/* Meanwhile the thread leaves these entries alone. NULL: the set is not open, or they are too busy. */
static struct ch_weak_entries *take(struct ch_weak_set *s) {
    pthread_mutex_lock(&lock);
    struct ch_weak_entries *e = s->entries;
    if (e) await_while(&e->busy);
    bool mine = e && e == s->entries && !e->busy;
    if (mine) e->busy = true;
    pthread_mutex_unlock(&lock);
    return mine ? e : NULL;
}

static void give_back(JNIEnv *env, struct ch_weak_entries *e) {
    pthread_mutex_lock(&lock);
    e->busy = false;
    bool dropped = e->dropped;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    sem_post(&collections); /* for a round that left them out */
    if (dropped) destroy(env, e);
}

static void visit(JNIEnv *env, struct ch_weak_entries *e, ch_weak_visitor *each, void *to) {
    struct seen seen[BATCH];
    for (uint32_t from = 0, n; copy(e, &from, seen, &n);)
        for (uint32_t i = 0; i < n; i++) {
            jobject object = seen[i].entry.number ? (*env)->NewLocalRef(env, seen[i].entry.reference) : NULL;
            if (object) each(env, object, seen[i].entry.number, to);
            if (object) (*env)->DeleteLocalRef(env, object);
        }
}

bool ch_weak_each(struct ch_weak_set *s, JNIEnv *env, ch_weak_visitor *each, void *to) {
    struct ch_weak_entries *e = take(s);
    if (!e) return false;
    visit(env, e, each, to);
    give_back(env, e);
    return true;
}

/* Nothing of one that has settled. */
static bool is_listed(const struct ch_weak_set *s) {
    pthread_mutex_lock(&lock);
    const struct ch_weak_set *i = sets;
    while (i && i != s) i = i->next;
    pthread_mutex_unlock(&lock);
    return i;
}

void ch_weak_look(struct ch_weak_set *s, JNIEnv *env) {
    struct ch_weak_entries *e = is_listed(s) ? take(s) : NULL;
    if (!e) return;
    look(env, e, s->freed);
    give_back(env, e);
}

bool ch_weak_last(struct ch_weak_set *s, JNIEnv *env, ch_weak_visitor *each) {
    if (!s->entries) return false;
    pthread_mutex_lock(&lock);
    unlist(s);
    bool busy = s->entries->busy;
    pthread_mutex_unlock(&lock);
    if (!busy) visit(env, s->entries, each, NULL);
    return !busy;
}

void ch_weak_settle(struct ch_weak_set *s, JNIEnv *env) {
    struct ch_weak_entries *e = s->entries;
    if (!e) return;
    pthread_mutex_lock(&lock);
    unlist(s);
    bool mine = !e->busy;
    pthread_mutex_unlock(&lock);
    if (mine) look(env, e, s->freed);
}

void ch_weak_close(struct ch_weak_set *s, JNIEnv *env) {
    struct ch_weak_entries *e = s->entries;
    if (!e) return;
    pthread_mutex_lock(&lock);
    unlist(s);
    s->entries = NULL;
    bool busy = e->dropped = e->busy;
    pthread_mutex_unlock(&lock);
    if (!busy) {
        look(env, e, s->freed);
        destroy(env, e);
    }
    if (!sets) (void)listen(JVMTI_DISABLE);
    pthread_mutex_lock(&lock);
    if (!sets) await_while(&runs);
    pthread_mutex_unlock(&lock);
}
