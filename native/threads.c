/* Blocks of counters, one for each thread, and their registry.
 *
 * 1. A probe finds its thread's block in a table indexed by thread id & mask, with the owner's id beside the address. Only the
 *    owner ever writes to a block, so a count is a load and a store.
 * 2. A thread that is not in the table (its place is taken, or it has no id yet, as while it attaches) counts through JNI into the
 *    same block, which it finds as a thread-local; nothing needs an atomic operation.
 * 3. Nothing is merged: the block of a thread that ended goes, with its counts, to the next one that needs a block.
 * 4. A native thread may attach again after its end, and Java code runs in it before and after the events that say so: it just
 *    gets a block again, which comes back when the native thread ends, if no event brought it back before.
 * 5. When blocks run out, the shared block takes atomic additions.
 *
 * The raw monitor guards the list of blocks, the free list and the number of slots.
 */
#include "agent.h"
#include "timing.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MOST_BLOCKS 32768u
#define MAPPINGS_OF_BLOCK 16 /* at most; a process may have max_map_count of them */
#define RECORDS_RESERVED ((size_t)512 << 20)
#define TABLE_ENTRIES 16384

__thread struct ch_thread ch_self __attribute__((tls_model("initial-exec")));

struct table_entry {
    int64_t owner;
    uint64_t slots;
};
static struct table_entry *table;
static struct ch_block shared, *all = &shared, *free_blocks;
static uint32_t blocks = 1, most_blocks;
static struct ch_block *orphans; /* of native threads that ended detached, where no monitor can be entered; pushed atomically */
static pthread_key_t own_block;
static size_t slots_taken, slots_ready;

bool ch_block_is_shared(const struct ch_block *b) { return b == &shared; }
uint64_t *ch_shared_slot(uint32_t id) { return ch_slot(&shared, id); }

static bool block_start(struct ch_block *b, uint32_t index) {
    b->owner = -1;
    b->records_used = CH_UNIT; /* position 0 means none */
    if (!ch_region_reserve(&b->slots, CH_SLOTS, index, CH_MOST_SLOTS * 8)) return false;
    if (!ch_region_reserve(&b->records, CH_RECORDS, index, RECORDS_RESERVED) ||
        !ch_region_grow(&b->slots, slots_ready * 8)) {
        munmap(b->slots.base, b->slots.reserved);
        if (b->records.base) munmap(b->records.base, b->records.reserved);
        return false;
    }
    return true;
}

/* Makes a block fit for the next thread. */
static void retire(struct ch_block *b) {
    ch_self.block = NULL;
    ch_self.stack = NULL;
    ch_stack_clear(b->stack, b);
    if (b->owner >= 0) {
        table[b->owner & (TABLE_ENTRIES - 1)].owner = -1;
        b->owner = -1;
    }
}

static void leave_orphan(void *block) {
    struct ch_block *b = block;
    retire(b);
    b->next_free = __atomic_load_n(&orphans, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&orphans, &b->next_free, b, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
}

/* Each block takes mappings, and a JVM that cannot map its threads' stacks ends: leave most of them to it. */
static uint32_t blocks_for_mappings(void) {
    unsigned long most = 65530;
    FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
    if (f && fscanf(f, "%lu", &most) != 1) most = 65530;
    if (f) fclose(f);
    return most / MAPPINGS_OF_BLOCK < MOST_BLOCKS ? (uint32_t)(most / MAPPINGS_OF_BLOCK) : MOST_BLOCKS;
}

bool ch_threads_start(void) {
    if (pthread_key_create(&own_block, leave_orphan)) return false;
    most_blocks = blocks_for_mappings();
    table = mmap(NULL, TABLE_ENTRIES * sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) return false;
    for (size_t i = 0; i < TABLE_ENTRIES; i++) table[i].owner = -1;
    slots_ready = CH_CHUNK / 8;
    return block_start(&shared, 0);
}

uint32_t ch_slots_take(uint32_t n) {
    uint32_t first = UINT32_MAX;
    ch_lock();
    if (slots_taken + n <= CH_MOST_SLOTS) {
        bool there = true;
        if (slots_taken + n > slots_ready) {
            size_t want = slots_ready;
            while (want < slots_taken + n) want *= 2;
            if (want > CH_MOST_SLOTS) want = CH_MOST_SLOTS;
            for (struct ch_block *b = all; b && there; b = b->next) there = ch_region_grow(&b->slots, want * 8);
            if (there) slots_ready = want;
        }
        if (there) {
            first = (uint32_t)slots_taken;
            slots_taken += n;
        }
    }
    ch_unlock();
    return first;
}

/* A block that some thread has left; lock held. */
static struct ch_block *spare_block(void) {
    if (!free_blocks) free_blocks = __atomic_exchange_n(&orphans, NULL, __ATOMIC_ACQUIRE);
    struct ch_block *b = free_blocks;
    if (b) free_blocks = b->next_free;
    return b;
}

struct ch_block *ch_block_self(void) {
    if (ch_self.block) return ch_self.block;
    ch_lock();
    struct ch_block *b = spare_block();
    if (!b && blocks < most_blocks && (b = calloc(1, sizeof *b))) {
        if ((b->stack = ch_stack_new(false)) && block_start(b, blocks)) {
            blocks++;
            b->next = all->next;
            all->next = b;
        } else {
            ch_stack_free(b->stack);
            free(b);
            b = NULL;
        }
    }
    ch_unlock();
    if (!b) return &shared;
    ch_self.block = b;
    pthread_setspecific(own_block, b);
    if (!ch_self.virtual_id) ch_self.stack = b->stack;
    ch_clock_mark();
    return b;
}

/* Lets the probes of the thread with this id find the block, unless another living thread has its place. */
static void enter_table(struct ch_block *b, int64_t id) {
    struct table_entry *e = &table[id & (TABLE_ENTRIES - 1)];
    if (id <= 0 || ch_block_is_shared(b) || b->owner == id) return;
    ch_lock();
    if (e->owner == -1) {
        e->slots = (uint64_t)b->slots.base;
        /* the owner reads its own entry only, and is the thread that runs this: no ordering is needed */
        e->owner = id;
        b->owner = id;
    }
    ch_unlock();
}

size_t ch_record_allocate(struct ch_block *b, size_t bytes) {
    size_t at = b->records_used, end = (at + bytes + CH_UNIT - 1) / CH_UNIT * CH_UNIT;
    if (end > b->records.committed) {
        ch_lock();
        bool grown = ch_region_grow(&b->records, end);
        ch_unlock();
        if (!grown) return SIZE_MAX;
    }
    b->records_used = end;
    return at;
}

void ch_thread_ended(void) {
    struct ch_block *b = ch_self.block;
    if (!b) return;
    pthread_setspecific(own_block, NULL);
    ch_lock();
    retire(b);
    b->next_free = free_blocks;
    free_blocks = b;
    ch_unlock();
    ch_clock_mark();
}

static void add(struct ch_block *b, uint32_t slot, uint64_t n) {
    if (ch_block_is_shared(b))
        __atomic_fetch_add(ch_slot(b, slot), n, __ATOMIC_RELAXED);
    else
        *ch_slot(b, slot) += n;
}

/* ---- what the tracker calls, see tracker.py; `id` is the carrier's thread id */

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_table(JNIEnv *env, jclass c) {
    (void)env, (void)c;
    return (jlong)(uintptr_t)table;
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_mask(JNIEnv *env, jclass c) {
    (void)env, (void)c;
    return TABLE_ENTRIES - 1;
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_countSlowly(JNIEnv *env, jclass c, jint slot, jlong id) {
    (void)env, (void)c;
    struct ch_block *b = ch_block_self();
    enter_table(b, id);
    add(b, (uint32_t)slot, 1);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_arraySlowly(JNIEnv *env, jclass c, jlong bytes, jint slot, jlong id) {
    (void)env, (void)c;
    struct ch_block *b = ch_block_self();
    enter_table(b, id);
    add(b, (uint32_t)slot, 1);
    add(b, (uint32_t)slot + 1, (uint64_t)bytes);
}
