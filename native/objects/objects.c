/* The rules `alloc ... live` and `alloc ... stack N`: sampled objects, by their type and the stack that allocated them.
 *
 * 1. Objects are sampled one per `every` bytes, in the mean (base/samples.c). An object's chance to be sampled depends on its size alone, and each
 *    stands for the inverse of that chance.
 * 2. For what is live, there is a weak reference to a sampled object, with a number: its row, and its size. When a garbage collection has freed the
 *    object (weak.c), the row gives back what it stood for. At the JVM's end, its heap is walked: what can be reached is live.
 * 3. For that walk the objects get their numbers as tags, in a JVMTI environment of their own: the agent's other tags have nothing to do with these.
 * 4. Rows are under one lock, for a few additions; the JVM is never called with it held.
 */
#include "objects.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MARKED 50000000u /* ns between two signs of life, if the process is killed */
enum {
    MOST_ROWS = 1 << 16, FIRST_ROOM = 1024, ROW_BITS = 24, UNIT_BITS = 3 /* sizes are multiples of 8 */, MOST_INTERVAL = 1 << 30,
    LEAST_FRAMES = 24 /* to find the program's class below those of the JDK, see instrument/measures/objects.py */
};

struct way {
    uint64_t every;
    uint32_t depth; /* 0: not at all */
    bool keeps;
};
static struct way wanted, now;
static jvmtiEnv *own; /* for tags; NULL: not there */
static bool failed;   /* this JVM cannot */
static bool listens;
static struct ch_region region;
static uint32_t *places; /* rows + 1 by type and stack, open addressing; 0: free */
static uint32_t room;
static uint64_t marked_ns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ch_objects_rule(uint64_t every, uint32_t frames) {
    uint32_t depth = frames & (CH_KEEPS - 1);
    bool any = depth;
    if (depth < LEAST_FRAMES) depth = LEAST_FRAMES;
    if (!any) {
        wanted = (struct way){0};
        return;
    }
    if (every > MOST_INTERVAL) every = MOST_INTERVAL;
    wanted.every = wanted.depth && wanted.every < every ? wanted.every : every;
    wanted.depth = wanted.depth > depth ? wanted.depth : depth > CH_LOCK_FRAMES ? CH_LOCK_FRAMES : depth;
    wanted.keeps |= frames >= CH_KEEPS;
}

/* ---- rows, under the lock */

static struct ch_object_head *head(void) { return (struct ch_object_head *)region.base; }
static struct ch_objects *row_at(uint32_t i) { return (struct ch_objects *)(region.base + sizeof(struct ch_object_head)) + i; }

static uint32_t *place_of(uint32_t type, uint32_t stack) {
    uint64_t hash = ((uint64_t)type << 32 | stack) * 0x9E3779B97F4A7C15u;
    uint32_t at = (uint32_t)(hash >> 32) & (room - 1);
    while (places[at] && (row_at(places[at] - 1)->type != type || row_at(places[at] - 1)->stack != stack)) at = (at + 1) & (room - 1);
    return &places[at];
}

static bool grow(void) {
    uint32_t *old = places, n = room, *more = calloc((size_t)n * 2, sizeof *more);
    if (!more) return false;
    places = more;
    room = n * 2;
    for (uint32_t i = 0; i < n; i++)
        if (old[i]) *place_of(row_at(old[i] - 1)->type, row_at(old[i] - 1)->stack) = old[i];
    free(old);
    return true;
}

static uint32_t find_row(uint32_t type, uint32_t stack) {
    uint32_t *place = place_of(type, stack), n = (uint32_t)head()->rows;
    if (*place) return *place - 1;
    if (n >= MOST_ROWS || (n * 2 >= room && !grow())) {
        head()->refused++;
        return 0;
    }
    row_at(n)->type = type;
    row_at(n)->stack = stack;
    *place_of(type, stack) = n + 1;
    __atomic_store_n(&head()->rows, n + 1, __ATOMIC_RELEASE); /* a reader may look at any time */
    return n;
}

/* ---- estimates */

static double stands_for(uint64_t size) { return now.every ? -1 / expm1(-(double)size / (double)now.every) : 1; }

static void add(struct ch_estimate *e, double size, double weight, double sign) {
    double variance = weight * (weight - 1);
    e->objects += sign * weight;
    e->bytes += sign * weight * size;
    e->objects_variance += sign * variance;
    e->bytes_variance += sign * variance * size * size;
}

static void forget(uint32_t i, uint64_t size) {
    struct ch_objects *r = row_at(i);
    if (!r->kept) return;
    add(&r->live, (double)size, stands_for(size), -1);
    if (!--r->kept) r->live = (struct ch_estimate){0}; /* nor what rounding left */
}

static uint32_t note(uint32_t type, uint32_t stack, uint64_t size) {
    double weight = stands_for(size);
    pthread_mutex_lock(&lock);
    uint32_t i = find_row(type, stack);
    struct ch_objects *r = row_at(i);
    r->sampled++;
    add(&r->allocated, (double)size, weight, 1);
    if (now.keeps) {
        r->kept++;
        add(&r->live, (double)size, weight, 1);
    }
    uint64_t ns = ch_monotonic_ns();
    if (ns - marked_ns > MARKED) {
        ch_clock_mark();
        marked_ns = ns;
    }
    pthread_mutex_unlock(&lock);
    return i;
}

/* ---- events */

static void freed(uint64_t number) {
    uint32_t row = (uint32_t)(number & ((1 << ROW_BITS) - 1)) - 1;
    pthread_mutex_lock(&lock);
    forget(row, number >> ROW_BITS << UNIT_BITS);
    pthread_mutex_unlock(&lock);
}

static struct ch_weak_set kept = {.freed = freed};

static uint64_t number_of(uint32_t row, uint64_t size) { return size >> UNIT_BITS << ROW_BITS | (row + 1); }

static void take(JNIEnv *env, jthread thread, jobject object, jclass class, uint64_t size) {
    uint32_t stack = ch_trace_stack(env, thread, now.depth, false), row = note(ch_trace_class(class), stack, size);
    if (now.keeps && !ch_weak_add(&kept, env, object, number_of(row, size))) freed(number_of(row, size));
}

static void allocated(JNIEnv *env, jthread thread, jobject object, jclass class, jlong size) {
    if (ch_self.silent || ch_self.measuring) return; /* it is the agent's */
    if (__atomic_load_n(&listens, __ATOMIC_SEQ_CST)) take(env, thread, object, class, (uint64_t)size);
}

static struct ch_sample_taker samples = {.take = allocated};

/* ---- the end: what can be reached */

#define REACHED ((jlong)1 << 62)

/* The JVM may not be called here. */
static jint JNICALL reached(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag, jlong referrers_class, jlong size, jlong *tag,
                            jlong *referrers_tag, jint length, void *unused) {
    (void)kind, (void)info, (void)class_tag, (void)referrers_class, (void)referrers_tag, (void)length, (void)unused;
    if (!*tag || *tag & REACHED) return JVMTI_VISIT_OBJECTS;
    struct ch_objects *r = row_at((uint32_t)(*tag & ((1 << ROW_BITS) - 1)) - 1);
    r->kept++;
    add(&r->live, (double)size, stands_for((uint64_t)size), 1);
    *tag |= REACHED;
    return JVMTI_VISIT_OBJECTS;
}

static void tag(jobject object, uint64_t number) { (void)(*own)->SetTag(own, object, (jlong)number); }

static void forget_all(void) {
    for (uint32_t i = 0; i < head()->rows; i++) {
        row_at(i)->kept = 0;
        row_at(i)->live = (struct ch_estimate){0};
    }
}

/* Collectors that work beside the program are at their end before the JVM says that it is: to ask them for a collection would be to wait for ever. */
static void keep_reached(JNIEnv *env) {
    static const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = reached};
    if (!ch_weak_last(&kept, env, tag)) return;
    forget_all();
    if (!(*own)->FollowReferences(own, JVMTI_HEAP_FILTER_UNTAGGED, NULL, NULL, &callbacks, NULL)) head()->known_by = CH_REACHED;
}

/* ---- starting and stopping */

static bool fail(const char *why) {
    failed = true;
    ch_samples_stop(&samples);
    ch_say("%s: `live` and `stack` of rules `alloc` have no effect; what is allocated is counted", why);
    return false;
}

static const char no_samples[] = "this JVM samples no allocations, or another agent has these samples";

static bool open_environment(void) {
    static const jvmtiCapabilities tags = {.can_tag_objects = 1};
    if (own || failed) return !failed;
    if (!(*ch_vm)->GetEnv(ch_vm, (void **)&own, JVMTI_VERSION_11) && !(*own)->AddCapabilities(own, &tags)) return true;
    return fail("this JVM does not let objects be tagged");
}

void ch_objects_early(void) {
    if (wanted.depth && !ch_samples_plan(&samples, wanted.every)) fail(no_samples);
}

static bool prepare(JNIEnv *env) {
    jvmtiCapabilities lines = {.can_get_source_file_name = 1, .can_get_line_numbers = 1, .can_get_bytecodes = 1};
    if (region.base) return true;
    if ((*ch_jvmti)->AddCapabilities(ch_jvmti, &lines) || !ch_traces_start(env)) return false;
    places = calloc(FIRST_ROOM, sizeof *places);
    room = FIRST_ROOM;
    if (!places) return false;
    ch_lock();
    bool there = ch_region_open(&region, CH_OBJECTS, 0, sizeof(struct ch_object_head) + MOST_ROWS * sizeof(struct ch_objects), 0);
    ch_unlock();
    if (there) find_row(CH_OTHER_NAMES, 0);
    return there;
}

/* What was sampled before is known no more, whether it is live. */
static void begin(void) {
    pthread_mutex_lock(&lock);
    now = wanted;
    head()->every = now.every;
    head()->keeps = now.keeps;
    head()->known_by = CH_LAST_COLLECTION;
    forget_all();
    pthread_mutex_unlock(&lock);
}

static void start(JNIEnv *env) {
    if (!open_environment()) return;
    if (!prepare(env)) {
        fail("no memory for sampled objects");
        return;
    }
    begin();
    if (now.keeps && !ch_weak_open(&kept, env)) {
        fail("this JVM does not tell when it collects garbage");
        return;
    }
    __atomic_store_n(&listens, true, __ATOMIC_SEQ_CST);
    if (ch_samples_start(&samples, now.every, env)) return;
    __atomic_store_n(&listens, false, __ATOMIC_SEQ_CST);
    ch_weak_close(&kept, env);
    fail(no_samples);
}

enum end { NO_LONGER_WANTED, DETACHED, DEATH };

static void stop(JNIEnv *env, enum end why) {
    if (!listens) return;
    __atomic_store_n(&listens, false, __ATOMIC_SEQ_CST);
    ch_samples_stop(&samples);
    if (why == DETACHED && now.keeps && !(*own)->ForceGarbageCollection(own)) head()->known_by = CH_COLLECTED;
    if (why != DEATH)
        ch_weak_close(&kept, env);
    else if (now.keeps)
        keep_reached(env);
}

void ch_objects_follow(JNIEnv *env) {
    if (listens && wanted.every == now.every && wanted.keeps == now.keeps && wanted.depth) {
        now.depth = wanted.depth;
        return;
    }
    stop(env, NO_LONGER_WANTED);
    if (wanted.depth) start(env);
}

void ch_objects_end(JNIEnv *env, bool death) { stop(env, death ? DEATH : DETACHED); }
