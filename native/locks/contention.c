/* The rule `locks`: how long threads were blocked at monitors, by the monitor's class, their stacks, and who held it.
 * Without contention, no code of it runs.
 *
 * 1. A thread that is about to block takes its stack, finds its row, and notes when it began: it has nothing better to
 *    do. When it has the monitor, its time is added to the row. Waits that have not ended are in the data file, too:
 *    how many, and the sum of the times when they began.
 * 2. The holder of the monitor is asked for first. The JVM stops to find out, so that takes a part (ASKING) of the time
 *    that goes by at most; and nobody asks while a thread attaches itself (monitor_owners.c).
 * 3. All rows are under one lock, for a few additions. The JVM is never called with it held: a thread suspended there
 *    would block all others.
 * 4. A thread's begun waits are kept with the JVM's thread, which may be a virtual one that goes on elsewhere.
 * 5. Waits whose end was not seen, since the events were off meanwhile, are forgotten when they are on again.
 * 6. Where there is no room for a row, its kind's row for all others is taken: sums stay exact.
 * 7. The longest times are also kept one by one, for timelines (moments/moments.c). The thread's name is asked for only
 *    then.
 */
#include "../moments/moments.h"
#include "../base/jdk_members.h"
#include "locks.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MARKED 50000000u /* ns between two signs of life, if the process is killed */
enum {
    MOST_ROWS = 1 << 15,
    VIRTUAL_THREADS = 21,
    UNPINNED = 24 /* the first JDK in which virtual threads leave their carriers at monitors */,
    ASKING = 64,
    MOST_CREDIT = 20000000 /* ns for asking */,
    OF_PARKING = 8 /* frames of the JDK, on top of those of who parks */,
    LONGEST_STOP = 300000 /* what is more was spent waiting for a processor */,
    SUPPORT_VIRTUAL_THREADS = 44 /* place of that capability, which older headers do not have */
};

/* The waits that a thread has begun, the latest first. */
struct begun {
    struct begun *before;
    uint32_t row, kind, session;
    uint64_t began_ns;
};

static uint64_t over_ns, marked_ns, credited_ns;
static int64_t credit_ns = MOST_CREDIT; /* for asking; it grows until MOST_CREDIT */
static uint32_t depth, session; /* session: how often the events were switched on */
static bool listens, parks, threads; /* threads: they are told apart */
static struct ch_region region;
static CH_TABLE(struct ch_numbered) numbers; /* of rows, by what they are about */
static jclass of_virtual;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take_rule(void) {
    struct ch_locks_sampler wanted = ch_wanted.samplers.locks;
    over_ns = wanted.over_us * 1000;
    parks = wanted.parks;
    threads = wanted.threads;
    depth = wanted.frames > CH_LOCK_FRAMES ? CH_LOCK_FRAMES : wanted.frames;
    if (depth) ch_owners_start();
    if (region.base) ((struct ch_lock_head *)region.base)->over_ns = over_ns;
}

/* ---- rows, under the lock */

static struct ch_lock_head *head(void) { return (struct ch_lock_head *)region.base; }
static struct ch_lock *row_at(uint32_t i) { return (struct ch_lock *)(region.base + sizeof(struct ch_lock_head)) + i; }

static bool is_about(const void *entry, const void *wanted) {
    const struct ch_lock *a = row_at(((const struct ch_numbered *)entry)->number), *b = wanted;
    return a->kind == b->kind && a->monitor == b->monitor && a->stack == b->stack && a->holder == b->holder &&
           a->holder_stack == b->holder_stack;
}

static uint32_t hash_of(const struct ch_lock *r) {
    const uint32_t parts[] = {r->monitor, r->stack, r->holder, r->holder_stack};
    uint64_t hash = r->kind;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) hash = (hash ^ parts[i]) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 32);
}

static uint32_t find_row(const struct ch_lock *wanted) {
    uint32_t hash = hash_of(wanted), n = (uint32_t)head()->rows;
    const struct ch_numbered *known = ch_table_find(&numbers, hash, is_about, wanted);
    if (known) return known->number;
    if (n >= MOST_ROWS || !ch_table_add(&numbers, hash, &(struct ch_numbered){.number = n})) {
        head()->refused++;
        return wanted->kind - CH_LOCK_ENTER; /* the first ones are those of all others */
    }
    *row_at(n) = *wanted;
    ch_store_release(&head()->rows, n + 1); /* a reader may look at any time */
    return n;
}

static void take_back(struct ch_lock *r, uint64_t began_ns) {
    r->pending--;
    r->pending_began_ns -= began_ns - ch_header->first_ns;
}

/* ---- what a row is about */

static uint32_t class_of(JNIEnv *env, jobject monitor) {
    jclass c = (*env)->GetObjectClass(env, monitor);
    uint32_t number = ch_trace_class(c);
    (*env)->DeleteLocalRef(env, c);
    return number;
}

static uint32_t thread_name(JNIEnv *env, jthread thread) {
    jvmtiThreadInfo info = {0};
    uint32_t number = CH_OTHER_NAMES;
    if ((*ch_jvmti)->GetThreadInfo(ch_jvmti, thread, &info)) return number;
    if (info.name) number = ch_trace_name(*info.name ? info.name : "[virtual threads]");
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)info.name);
    if (info.thread_group) (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader) (*env)->DeleteLocalRef(env, info.context_class_loader);
    return number;
}

static bool may_ask(void) {
    uint64_t now = ch_monotonic_ns();
    pthread_mutex_lock(&lock);
    uint64_t grown = (now - credited_ns) / ASKING;
    credit_ns = grown > (uint64_t)(MOST_CREDIT - credit_ns) ? MOST_CREDIT : credit_ns + (int64_t)grown;
    credited_ns = now;
    bool may = credit_ns > 0;
    pthread_mutex_unlock(&lock);
    return may;
}

static void spend(uint64_t start) {
    uint64_t took = ch_monotonic_ns() - start;
    pthread_mutex_lock(&lock);
    head()->asked++;
    head()->asking_ns += took;
    credit_ns -= (int64_t)(took < LONGEST_STOP ? took : LONGEST_STOP);
    pthread_mutex_unlock(&lock);
}

/* With room for the frames of parking. */
static uint32_t deep_enough(void) { return depth < CH_LOCK_FRAMES - OF_PARKING ? depth + OF_PARKING : depth; }

/* The stack of a holder, which may be parked, or wait for another monitor. */
static uint32_t stack_of_holder(JNIEnv *env, jthread owner) { return ch_trace_stack(env, owner, deep_enough(), true); }

/* Notes the owner of a lock of java.util.concurrent; also its stack, if there is time for that. */
static void note_owner(JNIEnv *env, jthread owner, struct ch_lock *r) {
    uint64_t start = ch_monotonic_ns();
    r->holder = thread_name(env, owner);
    if (!may_ask()) return;
    r->holder_stack = stack_of_holder(env, owner);
    spend(start);
}

static void ask_holder(JNIEnv *env, jobject monitor, struct ch_lock *r) {
    jvmtiMonitorUsage usage = {0};
    if (!may_ask()) return;
    uint64_t start = ch_monotonic_ns();
    if (ch_monitor_usage(ch_jvmti, monitor, &usage)) return;
    if (usage.owner) {
        r->holder = thread_name(env, usage.owner);
        r->holder_stack = stack_of_holder(env, usage.owner);
        (*env)->DeleteLocalRef(env, usage.owner);
    }
    for (jint i = 0; i < usage.waiter_count; i++) (*env)->DeleteLocalRef(env, usage.waiters[i]);
    for (jint i = 0; i < usage.notify_waiter_count; i++) (*env)->DeleteLocalRef(env, usage.notify_waiters[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)usage.waiters);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)usage.notify_waiters);
    spend(start);
}

/* ---- events */

static struct begun *of_this_session(struct begun *b) {
    while (b && b->session != session) {
        struct begun *before = b->before;
        free(b);
        b = before;
    }
    return b;
}

/* `owner`: of what it is that a thread parks for. */
static bool begin(JNIEnv *env, jthread thread, jobject monitor, jobject owner, enum ch_lock_kind kind) {
    struct begun *b;
    void *before = NULL;
    uint64_t began = ch_monotonic_ns();
    if (!listens || ch_self.silent || (*ch_jvmti)->GetThreadLocalStorage(ch_jvmti, thread, &before) ||
        !(b = malloc(sizeof *b)))
        return false;
    bool parking = kind == CH_LOCK_LOCK || kind == CH_LOCK_PARK;
    struct ch_lock wanted = {.kind = kind, .monitor = monitor ? class_of(env, monitor) : CH_NO_NAME};
    wanted.stack = (threads ? ch_trace_stack_of : ch_trace_stack)(env, thread, parking ? deep_enough() : depth,
                                                                  kind == CH_LOCK_ENTER);
    bool pinned = of_virtual && (parking || ch_jvm_version < UNPINNED) && (*env)->IsInstanceOf(env, thread, of_virtual);
    uint32_t name = pinned ? thread_name(env, thread) : CH_NO_NAME;
    if (kind == CH_LOCK_ENTER) ask_holder(env, monitor, &wanted);
    if (owner) note_owner(env, owner, &wanted);
    *b = (struct begun){of_this_session(before), 0, kind, session, began};
    if ((*ch_jvmti)->SetThreadLocalStorage(ch_jvmti, thread, b)) {
        free(b);
        return false;
    }
    pthread_mutex_lock(&lock);
    if (b->session == session) { /* the events may have been off and on again meanwhile */
        b->row = find_row(&wanted);
        struct ch_lock *r = row_at(b->row);
        r->pinned += pinned;
        if (pinned) r->pinned_name = name;
        r->pending++;
        r->pending_began_ns += began - ch_header->first_ns;
    }
    pthread_mutex_unlock(&lock);
    return true;
}

static bool parks_for(JNIEnv *env, jthread thread, jobject blocker, jobject owner) {
    return begin(env, thread, blocker, owner, owner ? CH_LOCK_LOCK : CH_LOCK_PARK);
}

/* It took so long; under the lock. */
static void add_to_row(const struct begun *b, uint64_t took, bool timed_out) {
    struct ch_lock *r = row_at(b->row);
    take_back(r, b->began_ns);
    if (took < over_ns) {
        r->shorter++;
        r->shorter_ns += took;
    } else {
        r->ended++;
        r->total_ns += took;
        r->timed_out += timed_out;
        if (took > r->max_ns) r->max_ns = took;
    }
}

/* For timelines. */
static void note_moment(JNIEnv *env, jthread thread, const struct begun *b, uint64_t took) {
    enum ch_moment_kind kind = (enum ch_moment_kind)b->kind; /* they have the same numbers */
    uint32_t name = ch_moment_lasts(kind, took) ? thread_name(env, thread) : CH_NO_NAME;
    ch_moment_add(kind, b->began_ns, took, b->row, name);
}

static void end(JNIEnv *env, jthread thread, enum ch_lock_kind kind, bool timed_out) {
    void *kept = NULL;
    if ((*ch_jvmti)->GetThreadLocalStorage(ch_jvmti, thread, &kept) || !kept) return;
    struct begun *b = kept;
    uint64_t now = ch_monotonic_ns(), took = now - b->began_ns;
    bool parked = kind == CH_LOCK_PARK && b->kind == CH_LOCK_LOCK;
    if ((b->kind != kind && !parked) || (*ch_jvmti)->SetThreadLocalStorage(ch_jvmti, thread, b->before)) return;
    pthread_mutex_lock(&lock);
    bool counts = b->session == session;
    if (counts) add_to_row(b, took, timed_out);
    if (now - marked_ns > MARKED) {
        ch_clock_mark();
        marked_ns = now;
    }
    pthread_mutex_unlock(&lock);
    if (counts && took >= over_ns) note_moment(env, thread, b, took);
    free(b);
}

static void has_parked(JNIEnv *env, jthread thread) { end(env, thread, CH_LOCK_PARK, false); }
static const struct ch_park_listener listener = {parks_for, has_parked};

void JNICALL ch_lock_contended_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor) {
    (void)jvmti;
    begin(env, thread, monitor, NULL, CH_LOCK_ENTER);
}

void JNICALL ch_lock_contended_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor) {
    (void)jvmti, (void)monitor;
    end(env, thread, CH_LOCK_ENTER, false);
}

void JNICALL ch_lock_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor, jlong timeout) {
    (void)jvmti, (void)timeout;
    if (monitor) begin(env, thread, monitor, NULL, CH_LOCK_WAIT);
}

void JNICALL ch_lock_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor, jboolean timed_out) {
    (void)jvmti, (void)monitor;
    end(env, thread, CH_LOCK_WAIT, timed_out);
}

/* The longest times are those of earlier sessions. */
static void forget(JNIEnv *env) {
    (void)env;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; region.base && i < head()->rows; i++) row_at(i)->max_ns = 0;
    pthread_mutex_unlock(&lock);
}

bool ch_lock_dump(JNIEnv *env) {
    if (listens) ch_deadlocks_write(env);
    return listens;
}

/* ---- starting and stopping */

static bool listen(bool on) {
    static const jvmtiEvent events[] = {JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, JVMTI_EVENT_MONITOR_WAITED,
                                        JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_WAIT};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (!ch_ok((*ch_jvmti)->SetEventNotificationMode(ch_jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, events[i], NULL),
                   "the events of monitors"))
            return false;
    return true;
}

static bool prepare(JNIEnv *env) {
    struct ch_lock others[] = {{.kind = CH_LOCK_ENTER, .monitor = CH_OTHER_NAMES},
                               {.kind = CH_LOCK_WAIT, .monitor = CH_OTHER_NAMES},
                               {.kind = CH_LOCK_LOCK, .monitor = CH_OTHER_NAMES},
                               {.kind = CH_LOCK_PARK, .monitor = CH_OTHER_NAMES}};
    const size_t n = sizeof others / sizeof *others;
    if (region.base) return head()->rows >= n;
    if (!ch_traces_start(env)) return false;
    ch_lock();
    bool there =
        ch_region_open(&region, CH_LOCKS, 0, sizeof(struct ch_lock_head) + MOST_ROWS * sizeof(struct ch_lock), 0);
    ch_unlock();
    for (size_t i = 0; there && i < n; i++) find_row(&others[i]);
    return there && head()->rows >= n;
}

static bool take_capabilities(JNIEnv *env, struct ch_error *error) {
    jvmtiCapabilities wanted = {.can_generate_monitor_events = 1, .can_get_monitor_info = 1};
    if (!ch_check(error, (*ch_jvmti)->AddCapabilities(ch_jvmti, &wanted), "the capability to see monitors"))
        return false;
    if (ch_jvm_version < VIRTUAL_THREADS) return true;
    wanted = (jvmtiCapabilities){0};
    ((unsigned char *)&wanted)[SUPPORT_VIRTUAL_THREADS / 8] |= 1u << SUPPORT_VIRTUAL_THREADS % 8;
    if ((*ch_jvmti)->AddCapabilities(ch_jvmti, &wanted)) return true; /* then they are not seen */
    jclass c = ch_jdk_class(env, CH_JDK_BASE_VIRTUAL_THREAD);
    if (c && !of_virtual) of_virtual = (*env)->NewGlobalRef(env, c);
    if (c) (*env)->DeleteLocalRef(env, c);
    return true;
}

static void pause(void) {
    if (!listens) return;
    listens = false;
    ch_parks_stop();
    listen(false);
}

static void start(JNIEnv *env, jthread self, struct ch_error *error) {
    (void)self;
    if (listens || !depth) return;
    if (!take_capabilities(env, error) || !prepare(env)) {
        ch_warn(error, "the rule `locks` has no effect");
        depth = 0;
        return;
    }
    head()->over_ns = over_ns;
    pthread_mutex_lock(&lock);
    session++;
    for (uint32_t i = 0; i < head()->rows; i++) row_at(i)->pending = row_at(i)->pending_began_ns = 0;
    pthread_mutex_unlock(&lock);
    listens = true;
    if (!listen(true)) pause();
    if (listens && parks && !ch_parks_start(env, &listener))
        ch_warn(error, "this JVM does not report parked threads: `locks parks` records only monitors");
}

static bool somebody_is_blocked(void) {
    uint64_t n = 0;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < head()->rows; i++)
        n += row_at(i)->kind == CH_LOCK_ENTER || row_at(i)->kind == CH_LOCK_LOCK ? row_at(i)->pending : 0;
    pthread_mutex_unlock(&lock);
    return n;
}

static void stop(JNIEnv *env, bool at_death) {
    if (at_death && listens && somebody_is_blocked()) ch_deadlocks_write(env);
    pause();
}

const struct ch_measure ch_measure_locks = {
    .name = "locks", .on_rules = take_rule, .start = start, .pause = pause, .stop = stop, .anew = forget};
