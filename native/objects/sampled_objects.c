/* The rules `alloc ... live` and `alloc ... stack N`: sampled objects, by their type and the stack that allocated them.
 *
 * 1. Objects are sampled one per `every` bytes, in the mean (allocation_samples.c). An object's chance to be sampled
 *    depends on its size alone, and each stands for the inverse of that chance.
 * 2. For what is live, there is a weak reference to a sampled object, with a number: its row, and its size. When a
 *    garbage collection has freed the object (weak_references.c), the row gives back what it stood for. At the JVM's
 *    end, its heap is walked: what can be reached is live.
 * 3. For that walk the objects get their numbers as tags, in a JVMTI environment of their own: the agent's other tags
 *    have nothing to do with these.
 * 4. It is unknown whether value objects are live: they have no weak references, and their tags would cost
 *    more than all else. They have rows of their own.
 * 5. Rows are under one lock, for a few additions; the JVM is never called with it held.
 */
#include "objects.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MARKED 50000000u /* ns between two signs of life, if the process is killed */
enum {
    MOST_ROWS = 1 << 16,
    ROW_BITS = 24,
    UNIT_BITS = 3 /* sizes are multiples of 8 */,
    MOST_INTERVAL = 1 << 30,
    /* to find the program's class below those of the JDK, see instrument/measures/alloc/table_objects.py */
    LEAST_FRAMES = 24
};

struct way {
    uint64_t every;
    uint32_t depth; /* 0: not at all */
    bool keeps, threads;
};
static struct way wanted, now;
static jvmtiEnv *own; /* for tags; NULL: not there */
static bool failed; /* this JVM cannot */
static bool listens;
static struct ch_region region;
static CH_TABLE(struct ch_numbered) numbers; /* of rows, by type and stack */
static uint64_t marked_ns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take_rule(void) {
    struct ch_objects_sampler rule = ch_wanted.samplers.objects;
    uint32_t depth = rule.frames < LEAST_FRAMES ? LEAST_FRAMES : rule.frames;
    wanted = (struct way){0};
    if (!rule.frames) return;
    wanted.every = rule.every_bytes < MOST_INTERVAL ? rule.every_bytes : MOST_INTERVAL;
    wanted.depth = depth > CH_LOCK_FRAMES ? CH_LOCK_FRAMES : depth;
    wanted.keeps = rule.live;
    wanted.threads = rule.threads;
}

/* ---- rows, under the lock */

static struct ch_object_head *head(void) { return (struct ch_object_head *)region.base; }
static struct ch_objects *row_at(uint32_t i) {
    return (struct ch_objects *)(region.base + sizeof(struct ch_object_head)) + i;
}

static bool is_about(const void *entry, const void *sought) {
    const struct ch_objects *a = row_at(((const struct ch_numbered *)entry)->number), *b = sought;
    return a->type == b->type && a->stack == b->stack;
}

static uint32_t find_row(uint32_t type, uint32_t stack) {
    const struct ch_objects sought = {.type = type, .stack = stack};
    uint32_t hash = ch_hash_number((uint64_t)type << 32 | stack), n = (uint32_t)head()->rows;
    const struct ch_numbered *known = ch_table_find(&numbers, hash, is_about, &sought);
    if (known) return known->number;
    if (n >= MOST_ROWS || !ch_table_add(&numbers, hash, &(struct ch_numbered){.number = n})) {
        head()->refused++;
        return 0;
    }
    row_at(n)->type = type;
    row_at(n)->stack = stack;
    ch_store_release(&head()->rows, n + 1); /* a reader may look at any time */
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
    if (now.keeps && !(type & CH_OF_VALUES)) {
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

static uint32_t row_of(uint64_t number) { return (uint32_t)(number & ((1 << ROW_BITS) - 1)) - 1; }

static void freed(uint64_t number) {
    pthread_mutex_lock(&lock);
    forget(row_of(number), number >> ROW_BITS << UNIT_BITS);
    pthread_mutex_unlock(&lock);
}

static struct ch_weak_set kept = {.freed = freed};

static uint64_t number_of(uint32_t row, uint64_t size) { return size >> UNIT_BITS << ROW_BITS | (row + 1); }

static void take(JNIEnv *env, jthread thread, jobject object, jclass class, uint64_t size) {
    bool value = !object;
    uint32_t stack = (now.threads ? ch_trace_stack_of : ch_trace_stack)(env, thread, now.depth, false),
             row = note(ch_trace_class(class) | (value ? CH_OF_VALUES : 0), stack, size);
    if (now.keeps && !value && !ch_weak_add(&kept, env, object, number_of(row, size))) freed(number_of(row, size));
}

static void allocated(JNIEnv *env, jthread thread, jobject object, jclass class, jlong size) {
    if (ch_self.silent || ch_self.measuring) return; /* it is the agent's */
    if (ch_load(&listens)) take(env, thread, object, class, (uint64_t)size);
}

static struct ch_sample_taker samples = {.take = allocated};

/* ---- the end: what can be reached */

#define REACHED ((jlong)1 << 62)

/* The JVM may not be called here. */
static jint JNICALL reached(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
                            jlong referrers_class, jlong size, jlong *tag, jlong *referrers_tag, jint length,
                            void *unused) {
    (void)kind, (void)info, (void)class_tag, (void)referrers_class, (void)referrers_tag, (void)length, (void)unused;
    if (!*tag || *tag & REACHED) return JVMTI_VISIT_OBJECTS;
    struct ch_objects *r = row_at(row_of((uint64_t)*tag));
    r->kept++;
    add(&r->live, (double)size, stands_for((uint64_t)size), 1);
    *tag |= REACHED;
    return JVMTI_VISIT_OBJECTS;
}

static void tag(JNIEnv *env, jobject object, uint64_t number, void *unused) {
    (void)env, (void)unused;
    (void)(*own)->SetTag(own, object, (jlong)number);
}

static void forget_all(void) {
    for (uint32_t i = 0; i < head()->rows; i++) {
        row_at(i)->kept = 0;
        row_at(i)->live = (struct ch_estimate){0};
    }
}

/* Collectors that work beside the program are at their end before the JVM says that it is: to ask them for a collection
 * would be to wait for ever. */
static void keep_reached(JNIEnv *env) {
    static const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = reached};
    if (!ch_weak_last(&kept, env, tag)) return;
    forget_all();
    if (!(*own)->FollowReferences(own, JVMTI_HEAP_FILTER_UNTAGGED, NULL, NULL, &callbacks, NULL))
        head()->known_by = CH_REACHED;
}

/* ---- all of them */

struct visit {
    void (*each)(JNIEnv *env, jobject object, uint32_t row, void *to);
    void *to;
};

static void visit(JNIEnv *env, jobject object, uint64_t number, void *to) {
    const struct visit *v = to;
    v->each(env, object, row_of(number), v->to);
}

bool ch_objects_each(JNIEnv *env, void (*each)(JNIEnv *env, jobject object, uint32_t row, void *to), void *to) {
    return now.keeps && ch_weak_each(&kept, env, visit, &(struct visit){each, to});
}

/* ---- starting and stopping */

static bool fail(const char *why, struct ch_error *error) {
    failed = true;
    ch_samples_stop(&samples);
    return ch_fail(error, "%s: `live` and `stack` of rules `alloc` have no effect; what is allocated is counted", why);
}

static const char no_samples[] = "this JVM samples no allocations, or another agent has these samples";

static bool open_environment(struct ch_error *error) {
    static const jvmtiCapabilities tags = {.can_tag_objects = 1};
    if (own || failed) return !failed;
    if (!(*ch_vm)->GetEnv(ch_vm, (void **)&own, JVMTI_VERSION_11) && !(*own)->AddCapabilities(own, &tags)) return true;
    return fail("this JVM does not let objects be tagged", error);
}

static void early(struct ch_error *error) {
    if (wanted.depth && !ch_samples_plan(&samples, wanted.every)) fail(no_samples, error);
}

static bool prepare(JNIEnv *env) {
    if (region.base) return head()->rows;
    if (!ch_traces_start(env)) return false;
    ch_lock();
    bool there = ch_region_open(&region, CH_OBJECTS, 0,
                                sizeof(struct ch_object_head) + MOST_ROWS * sizeof(struct ch_objects), 0);
    ch_unlock();
    if (there) find_row(CH_OTHER_NAMES, 0);
    return there && head()->rows;
}

/* Begins anew: whether earlier samples are live is no longer known. */
static void begin(void) {
    pthread_mutex_lock(&lock);
    now = wanted;
    head()->every = now.every;
    head()->keeps = now.keeps;
    head()->known_by = CH_LAST_COLLECTION;
    forget_all();
    pthread_mutex_unlock(&lock);
}

static void start(JNIEnv *env, struct ch_error *error) {
    if (!open_environment(error)) return;
    if (!prepare(env)) {
        fail("no memory for sampled objects", error);
        return;
    }
    begin();
    if (now.keeps && !ch_weak_open(&kept, env)) {
        fail("this JVM does not report garbage collections", error);
        return;
    }
    ch_store(&listens, true);
    if (ch_samples_start(&samples, now.every, env)) return;
    ch_store(&listens, false);
    ch_weak_close(&kept, env);
    fail(no_samples, error);
}

enum end { NO_LONGER_WANTED, DETACHED, DEATH };

static void stop(JNIEnv *env, enum end why) {
    if (!listens) return;
    ch_store(&listens, false);
    ch_samples_stop(&samples);
    if (why == DETACHED && now.keeps && !(*own)->ForceGarbageCollection(own)) head()->known_by = CH_COLLECTED;
    if (why != DEATH)
        ch_weak_close(&kept, env);
    else if (now.keeps)
        keep_reached(env);
}

/* Starts, goes on or stops, as the rules ask. */
static void follow(JNIEnv *env, jthread self, struct ch_error *error) {
    (void)self;
    if (listens && wanted.every == now.every && wanted.keeps == now.keeps && wanted.depth) {
        now.depth = wanted.depth;
        now.threads = wanted.threads;
        return;
    }
    stop(env, NO_LONGER_WANTED);
    if (wanted.depth) start(env, error);
}

/* Finds out what is live, if that is wanted. */
static void end(JNIEnv *env, bool at_death) { stop(env, at_death ? DEATH : DETACHED); }

const struct ch_measure ch_measure_objects = {
    .name = "objects", .on_rules = take_rule, .early = early, .start = follow, .stop = end};
