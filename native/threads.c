/* Blocks of counters, one for each thread, and their registry.
 *
 * 1. Each platform thread's Thread object holds the address of its block's slots, negated, in the field that said how large a stack
 *    was asked for: the JVM reads that when it starts the thread, and nobody does later. Only the thread itself reads or writes it
 *    then. Only the owner ever counts in a block, so a count is a load and a store.
 * 2. The first EAGER threads get their block when they start, so that the compilers never see a probe that finds none and leave that way
 *    out. One that has none (it attaches, was there before us, or came later) counts through JNI: a FEW times in the shared block, which
 *    takes atomic additions, since most threads of a program with many hardly run any code; then it takes a block, as a thread-local, and
 *    notes it.
 * 3. Nothing is merged: the block of a thread that ended goes, with its counts, to the next one that needs a block.
 * 4. A native thread may attach again after its end, and Java code runs in it before and after the events that say so: it just
 *    gets a block again, which comes back when the native thread ends, if no event brought it back before.
 * 5. When blocks run out, all that is left counts in the shared block.
 * 6. A block has room for all slots that there can be, and a piece more, so that no number that code may call the tracker with leads outside
 *    it: the tracker masks it. The last CH_UNNUMBERED_SLOTS are for the probes of classes that nobody numbered, and belong to no class.
 *
 * The raw monitor guards the list of blocks, the free list and the number of slots.
 */
#include "agent.h"
#include "timing.h"
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HOLDERS 19 /* from this version of the JDK on, a platform thread's own fields are in an object of theirs */
#define EAGER 64u
#define LEAST_ADDRESS ((uintptr_t)1 << 32) /* as in tracker.py */
#define MOST_BLOCKS 32768u
#define MAPPINGS_OF_BLOCK 16 /* and spare ones, for pages that find no room; a process may have max_map_count of them */
#define UNNUMBERED_SLOTS 65536u /* more probes than the pool of a class has room for */
enum { FEW = 4096 };

__thread struct ch_thread ch_self __attribute__((tls_model("initial-exec")));

static jfieldID holder_field, slots_field; /* Thread.holder (NULL before JDK 19) and stackSize in it */
static jclass thread_class;
static jmethodID current; /* the platform thread that runs this, also where a virtual one is mounted */
static struct ch_block silent; /* what is counted here, nobody reads */
struct ch_block ch_shared;
static struct ch_block *all = &ch_shared, *free_blocks;
static uint32_t blocks = 1, most_blocks;
static size_t most_records; /* bytes that one block's have come to */
static bool no_more_blocks; /* the last one could not be had: do not try at each count */
static struct ch_block *orphans; /* of native threads that ended detached, where no monitor can be entered; pushed atomically */
static pthread_key_t own_block;
size_t ch_slots_taken;

uint64_t *ch_shared_slot(uint32_t id) { return ch_slot(&ch_shared, id); }

/* What all blocks come to take, if each takes as much as the one that took most. */
static uint64_t expected(void) { return (uint64_t)blocks * (ch_slots_taken * 8 + __atomic_load_n(&most_records, __ATOMIC_RELAXED)); }

/* Lock held, but at the start. */
static bool block_start(struct ch_block *b, uint32_t index) {
    b->index = index;
    b->records_used = CH_UNIT; /* position 0 means none */
    if (!ch_region_open(&b->slots, CH_SLOTS, index, ch_room.slots * 8 + CH_CHUNK, expected())) return false;
    return (uintptr_t)b->slots.base > LEAST_ADDRESS;
}

/* Makes a block fit for the next thread. */
static void retire(struct ch_block *b) {
    ch_stack_leave(b);
    ch_self.block = NULL;
    b->window = 0; /* the next thread has used CPU time of its own */
    b->window_cpu_ns = 0;
    b->over_budget = false;
    ch_stack_clear(b->stack, b);
}

/* A native thread ends. It may still be attached, and detach or run Java code in the destructors of others: wait for the last round of
 * them, and if it is attached even then, nobody gets its block any more. */
static void leave_orphan(void *block) {
    struct ch_block *b = block;
    void *env = NULL;
    bool attached = (*ch_vm)->GetEnv(ch_vm, &env, JNI_VERSION_1_8) == JNI_OK;
    if (attached && ++ch_self.rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(own_block, b);
        return;
    }
    if (attached) return;
    retire(b);
    b->next_free = __atomic_load_n(&orphans, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&orphans, &b->next_free, b, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
}

/* Each block takes mappings and address space, and a JVM that cannot map its threads' stacks ends: leave most of both to it. */
static uint32_t most_possible(void) {
    unsigned long mappings = 65530;
    FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
    if (f && fscanf(f, "%lu", &mappings) != 1) mappings = 65530;
    if (f) fclose(f);
    unsigned long most = mappings / MAPPINGS_OF_BLOCK;
    if (ch_room.limit) {
        unsigned long room = ch_room.limit / 4 / (ch_room.slots * 8 + (ch_has_time ? ch_room.records_bytes : 0));
        if (room < most) most = room;
    }
    return most < MOST_BLOCKS ? (uint32_t)most : MOST_BLOCKS;
}

bool ch_threads_start(void) {
    if (pthread_key_create(&own_block, leave_orphan)) return false;
    most_blocks = most_possible();
    return block_start(&ch_shared, 0);
}

struct ch_block *ch_blocks(void) { return all; }

uint32_t ch_slots_take(uint32_t n) {
    uint32_t first = UINT32_MAX;
    ch_lock();
    if (ch_slots_taken + n <= ch_room.slots - UNNUMBERED_SLOTS) {
        first = (uint32_t)ch_slots_taken;
        __atomic_store_n(&ch_slots_taken, ch_slots_taken + n, __ATOMIC_RELAXED);
        ch_header->slots_used = ch_slots_taken;
    }
    ch_unlock();
    return first;
}

static bool touched(const struct ch_block *b) {
    unsigned char resident[(UNNUMBERED_SLOTS * 8 + CH_CHUNK) / 4096];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = UNNUMBERED_SLOTS * 8 + CH_CHUNK;
    uint8_t *start = b->slots.base + (ch_room.slots - UNNUMBERED_SLOTS) * 8;
    if (mincore(start, bytes, resident)) return false; /* only a look, which must not take the memory that it looks at */
    for (size_t i = 0; i < bytes / page; i++)
        for (const uint64_t *p = (const uint64_t *)(start + i * page); resident[i] & 1 && p < (const uint64_t *)(start + (i + 1) * page); p++)
            if (*p) return true;
    return false;
}

bool ch_unnumbered_ran(void) {
    bool yes = false;
    ch_lock();
    for (struct ch_block *b = all; b && !yes; b = b->next) yes = touched(b);
    ch_unlock();
    return yes;
}

/* A block that some thread has left; lock held. */
static struct ch_block *spare_block(void) {
    if (!free_blocks) free_blocks = __atomic_exchange_n(&orphans, NULL, __ATOMIC_ACQUIRE);
    struct ch_block *b = free_blocks;
    if (b) free_blocks = b->next_free;
    return b;
}

struct ch_block *ch_block_take(void) {
    ch_lock();
    struct ch_block *b = spare_block();
    if (!b && !no_more_blocks && blocks < most_blocks && (b = calloc(1, sizeof *b))) {
        if ((b->stack = ch_stack_new(false)) && block_start(b, blocks)) {
            blocks++;
            ch_pace_block(b);
            b->next = all->next;
            all->next = b;
        } else {
            ch_stack_free(b->stack);
            free(b);
            b = NULL;
            no_more_blocks = true;
        }
    }
    ch_unlock();
    if (!b) return &ch_shared;
    ch_self.block = b;
    pthread_setspecific(own_block, b);
    if (!ch_self.virtual_id && ch_self.own && !ch_self.own->depth) ch_stack_leave(b); /* the block's own is faster */
    ch_clock_mark();
    return b;
}

/* The object with the field for a thread: NULL while it attaches. */
static jobject holder_of(JNIEnv *env, jthread thread) { return holder_field ? (*env)->GetObjectField(env, thread, holder_field) : thread; }

/* Lets the probes of this thread find its block; without one of its own, they do not take for an address what else is there. */
static void note_slots(JNIEnv *env, jthread thread, struct ch_block *b) {
    jobject holder = slots_field ? holder_of(env, thread) : NULL;
    if (!holder) return;
    if (b && !ch_block_is_shared(b))
        (*env)->SetLongField(env, holder, slots_field, -(jlong)(uintptr_t)b->slots.base);
    else if ((*env)->GetLongField(env, holder, slots_field) < 0)
        (*env)->SetLongField(env, holder, slots_field, 0);
}

void ch_silence(JNIEnv *env, struct ch_silence *s) {
    jthread thread = current ? (*env)->CallStaticObjectMethod(env, thread_class, current) : NULL;
    if ((*env)->ExceptionCheck(env) || !thread) return; /* it throws nothing, but -Xcheck:jni wants to see it asked */
    ch_lock();
    if (!silent.slots.base) ch_region_memory(&silent.slots, ch_room.slots * 8 + CH_CHUNK);
    ch_unlock();
    if (!silent.slots.base) return;
    *s = (struct ch_silence){thread, ch_self.block};
    ch_self.block = &silent;
    ch_self.silent++;
    note_slots(env, thread, &silent);
}

void ch_silence_end(JNIEnv *env, struct ch_silence *s) {
    if (!s->thread) return;
    ch_self.block = s->block;
    ch_self.silent--;
    note_slots(env, s->thread, s->block);
    (*env)->DeleteLocalRef(env, s->thread);
}

void ch_thread_started(JNIEnv *env, jthread thread) {
    static uint32_t started;
    bool eager = slots_field && (free_blocks || __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED) < EAGER);
    note_slots(env, thread, eager ? ch_block_self() : NULL);
}

bool ch_threads_find(JNIEnv *env, jthread self) {
    jint n = 0;
    jthread *threads = NULL;
    jclass thread = ch_boot_class(env, "java.lang.Thread"), owner = thread;
    if (ch_jvm_version >= HOLDERS) {
        owner = ch_boot_class(env, "java.lang.Thread$FieldHolder");
        holder_field = owner ? (*env)->GetFieldID(env, thread, "holder", "Ljava/lang/Thread$FieldHolder;") : NULL;
        if (!holder_field) return false;
    }
    slots_field = (*env)->GetFieldID(env, owner, "stackSize", "J");
    thread_class = (*env)->NewGlobalRef(env, thread);
    current = (*env)->GetStaticMethodID(env, thread, holder_field ? "currentCarrierThread" : "currentThread", "()Ljava/lang/Thread;");
    if (!slots_field || !current || !ch_ok((*ch_jvmti)->GetAllThreads(ch_jvmti, &n, &threads), "GetAllThreads")) return false;
    for (jint i = 0; i < n; i++) note_slots(env, threads[i], NULL);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)threads);
    ch_thread_started(env, self); /* the main thread, of which no event tells */
    return true;
}

size_t ch_record_allocate(struct ch_block *b, size_t bytes) {
    size_t at = b->records_used, end = (at + bytes + CH_UNIT - 1) / CH_UNIT * CH_UNIT;
    if (!at) return SIZE_MAX;
    if (!b->records.base) {
        ch_lock();
        bool there = ch_region_open(&b->records, CH_RECORDS, b->index, ch_room.records_bytes, expected());
        ch_unlock();
        if (!there) b->records_used = 0; /* no address space: do not ask for each call */
    }
    if (end > b->records.bytes) return SIZE_MAX;
    b->records_used = end;
    if (end > __atomic_load_n(&most_records, __ATOMIC_RELAXED)) __atomic_store_n(&most_records, end, __ATOMIC_RELAXED);
    return at;
}

void ch_thread_ended(JNIEnv *env, jthread thread) {
    struct ch_block *b = ch_self.block;
    if (!b) {
        ch_stack_leave(&ch_shared);
        return;
    }
    note_slots(env, thread, NULL); /* it may still run Java code */
    pthread_setspecific(own_block, NULL);
    ch_lock();
    retire(b);
    b->next_free = free_blocks;
    free_blocks = b;
    ch_unlock();
    ch_clock_mark();
}

struct ch_block *ch_block_of_few(void) {
    return ch_self.counted++ < FEW ? &ch_shared : ch_block_take();
}

static void add(struct ch_block *b, uint32_t slot, uint64_t n) {
    if (ch_block_is_shared(b))
        __atomic_fetch_add(ch_slot(b, slot), n, __ATOMIC_RELAXED);
    else
        *ch_slot(b, slot) += n;
}

/* One more in a slot, and these bytes in the next; whatever number that is. */
void ch_count(JNIEnv *env, struct ch_block *b, jint slot, jthread thread, bool with_bytes, uint64_t bytes) {
    uint32_t masked = (uint32_t)slot & (uint32_t)(ch_room.slots - 1);
    if (thread) note_slots(env, thread, b);
    add(b, masked, 1);
    if (with_bytes) add(b, masked + 1, bytes);
}

/* ---- what the tracker calls, see tracker.py; `thread` is the carrier */

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_mask(JNIEnv *env, jclass c) {
    (void)env, (void)c;
    return (jint)(ch_room.slots - 1);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_countSlowly(JNIEnv *env, jclass c, jint slot, jthread thread) {
    (void)c;
    ch_count(env, ch_block_for_count(), slot, thread, false, 0);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_arraySlowly(JNIEnv *env, jclass c, jlong bytes, jint slot, jthread thread) {
    (void)c;
    ch_count(env, ch_block_for_count(), slot, thread, true, (uint64_t)bytes);
}
