/* Blocks of counters, and their registry.
 *
 * 1. Only the thread that owns a block counts in it, so a count is a load and a store. Threads that have hardly run any
 *    code count up to FEW times in the shared block, with atomic additions.
 * 2. Blocks are not merged: when a thread ends, its block, with its counts, goes to the next thread that needs one.
 * 3. A native thread may detach and attach again, and Java code runs in it before its start event and after its end
 *    event. It then simply gets a block again. It gives the block back when the native thread ends, unless an end event
 *    has done so before.
 * 4. When blocks run out, the remaining threads count in the shared block.
 *    Where threads count by name (thread_names.c), a block belongs to one name for good, and only goes to threads that
 *    have it; no thread counts in the shared block as long as there are others.
 * 5. A block has room for the largest possible number of slots, plus CH_CHUNK bytes. The tracker masks slot numbers, so
 *    no number passed to it leads outside the block. The last CH_UNNUMBERED_SLOTS belong to no class; probes that were
 *    never numbered count there.
 *
 * The raw monitor guards the list of blocks, the free list and the number of slots.
 */
#include "../threads/thread_names.h"
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEAST_ADDRESS ((uintptr_t)1 << 32) /* as in tracker/Threads.java */
#define MAPPINGS_OF_BLOCK 16 /* with some to spare for disk_full_guard.c; a process may have max_map_count mappings */
enum { FEW = 4096 };
#define MOST_NAMED_BYTES ((uint64_t)512 << 20)

__thread struct ch_thread ch_self __attribute__((tls_model("initial-exec")));
struct ch_block ch_shared;
uint32_t ch_ambience;
void (*ch_ambience_follow)(JNIEnv *env, jthread carrier);
size_t ch_slots_taken;

static struct ch_block_life life;
static struct ch_block *all = &ch_shared, *free_blocks;
struct ch_region ch_block_keys;
static uint32_t blocks = 1, most_blocks;
static size_t most_records; /* the largest block's bytes of records */
static bool no_more_blocks; /* making a block failed: do not try again at each count */
static struct ch_block
    *orphans; /* from native threads that ended detached and so could not enter the raw monitor; pushed atomically */
static pthread_key_t own_block;

static struct ch_block **unused(struct ch_thread_name *n) { return n ? &n->unused : &free_blocks; }

uint64_t *ch_shared_slot(uint32_t id) { return ch_slot(&ch_shared, id); }

bool ch_keys_start(void) {
    return ch_block_keys.base ||
           ch_region_open(&ch_block_keys, CH_BLOCK_KEYS, 0, CH_MOST_BLOCKS * sizeof(struct ch_block_key), 0);
}

struct ch_block_key *ch_block_key(const struct ch_block *b) {
    return (struct ch_block_key *)ch_block_keys.base + b->index;
}

/* Bytes that all blocks will take if each takes as much as the largest. */
static uint64_t expected(void) { return (uint64_t)blocks * ch_block_bytes(); }

uint64_t ch_block_bytes(void) { return ch_load_relaxed(&ch_slots_taken) * 8 + ch_load_relaxed(&most_records); }

bool ch_blocks_may_be_more(void) { return blocks < most_blocks / 2 && expected() < MOST_NAMED_BYTES; }

/* Lock held, except at startup. */
static bool block_start(struct ch_block *b, uint32_t index) {
    b->index = index;
    b->records_used = CH_UNIT; /* position 0 means none; its word is ch_due_bin in timing_records.h */
    if (!ch_region_open(&b->slots, CH_SLOTS, index, CH_BLOCK_BYTES, expected())) return false;
    return (uintptr_t)b->slots.base > LEAST_ADDRESS;
}

/* Detaches a block from this thread and resets it for the next one. */
static void retire(struct ch_block *b) {
    life.left(b);
    ch_self.block = NULL;
    ch_self.plain = NULL;
}

/* Destructor at a native thread's end. The thread may still be attached, and other libraries' destructors may detach it
 * or run Java code: wait for the last round of destructors. If it is still attached then, its block is not reused. */
static void leave_orphan(void *block) {
    struct ch_block *b = block;
    void *env = NULL;
    bool attached = (*ch_vm)->GetEnv(ch_vm, &env, JNI_VERSION_1_8) == JNI_OK;
    if (attached && ++ch_self.rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(own_block, b);
        return;
    }
    if (attached || ch_self.scope) return;
    retire(b);
    ch_push(&orphans, b, next_free);
}

/* Each block takes mappings and address space. A JVM that cannot map its threads' stacks exits, so leave most of both
 * to it. */
static uint32_t most_possible(void) {
    unsigned long mappings = 65530;
    FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
    if (f && fscanf(f, "%lu", &mappings) != 1) mappings = 65530;
    if (f) fclose(f);
    unsigned long most = mappings / MAPPINGS_OF_BLOCK;
    if (ch_room.limit) {
        unsigned long room = ch_room.limit / 4 / (ch_room.slots * 8 + (ch_wanted.time ? ch_room.records_bytes : 0));
        if (room < most) most = room;
    }
    return most < CH_MOST_BLOCKS ? (uint32_t)most : CH_MOST_BLOCKS;
}

bool ch_blocks_start(struct ch_block_life of_blocks) {
    life = of_blocks;
    if (pthread_key_create(&own_block, leave_orphan)) return false;
    most_blocks = most_possible();
    return block_start(&ch_shared, 0);
}

bool ch_block_is_spare(void) { return *unused(ch_self.thread_name); }

struct ch_block *ch_blocks(void) { return all; }

uint32_t ch_slots_take(uint32_t n) {
    uint32_t first = UINT32_MAX;
    ch_lock();
    if (ch_slots_taken + n <= ch_room.slots - CH_UNNUMBERED_SLOTS) {
        first = (uint32_t)ch_slots_taken;
        ch_store_relaxed(&ch_slots_taken, ch_slots_taken + n);
        ch_header->slots_used = ch_slots_taken;
    }
    ch_unlock();
    return first;
}

static bool touched(const struct ch_block *b) {
    unsigned char resident[(CH_UNNUMBERED_SLOTS * 8 + CH_CHUNK) / 4096];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = CH_UNNUMBERED_SLOTS * 8 + CH_CHUNK,
           first = ch_room.slots - CH_UNNUMBERED_SLOTS;
    uint8_t *start = b->slots.base + first * 8;
    if (mincore(start, bytes, resident)) return false; /* to read a page that was never touched would allocate it */
    for (size_t i = 0; i < bytes / page; i++)
        for (const uint64_t *p = (const uint64_t *)(start + i * page);
             resident[i] & 1 && p < (const uint64_t *)(start + (i + 1) * page); p++)
            if (*p) return true;
    return false;
}

bool ch_unnumbered_ran(void) {
    bool yes = ch_coverage_unnumbered_hit();
    ch_lock();
    for (struct ch_block *b = all; b && !yes; b = b->next) yes = touched(b);
    ch_unlock();
    return yes;
}

/* Lock held. */
static void put_back(struct ch_block *b) {
    struct ch_block **list = unused(b->thread_name);
    b->next_free = *list;
    *list = b;
}

/* Takes a free block, or NULL; lock held. */
static struct ch_block *spare_block(void) {
    struct ch_block **own = unused(ch_self.thread_name);
    for (struct ch_block *b = *own ? NULL : ch_exchange_acquire(&orphans, NULL), *next; b; b = next) {
        next = b->next_free;
        put_back(b);
    }
    struct ch_block *b = *own;
    if (b) *own = b->next_free;
    return b;
}

/* Lock held. */
static struct ch_block *make(void) {
    struct ch_block *b = no_more_blocks || blocks >= most_blocks ? NULL : calloc(1, sizeof *b);
    if (!b) return NULL;
    if (!block_start(b, blocks) || !life.made(b)) {
        free(b);
        no_more_blocks = true;
        return NULL;
    }
    blocks++;
    b->thread_name = ch_self.thread_name;
    if (b->thread_name && ch_keys_start()) ch_store_release(&ch_block_key(b)->thread, b->thread_name->slot);
    b->next = all->next;
    ch_store_release(&all->next, b); /* the sampler takes no lock */
    return b;
}

struct ch_block *ch_block_made(void) {
    ch_lock();
    struct ch_block *b = make();
    ch_unlock();
    return b;
}

struct ch_block *ch_block_take(void) {
    if (ch_wanted.threads_named && !ch_self.thread_name) life.unnamed();
    ch_lock();
    struct ch_block *b = spare_block();
    if (!b) b = make();
    ch_unlock();
    if (!b) return &ch_shared;
    ch_self.block = b;
    pthread_setspecific(own_block, b);
    life.taken(b);
    ch_clock_mark();
    return b;
}

struct ch_block *ch_block_of_few(void) {
    return !ch_wanted.threads_named && ch_self.counted++ < FEW ? &ch_shared : ch_block_take();
}

/* The thread ends or detaches. */
void ch_block_give_back(struct ch_block *b) {
    pthread_setspecific(own_block, NULL);
    ch_lock();
    retire(b);
    put_back(b);
    ch_unlock();
    ch_clock_mark();
}

bool ch_records_open(struct ch_block *b) {
    ch_lock();
    bool there =
        b->records.base || ch_region_open(&b->records, CH_RECORDS, b->index, ch_room.records_bytes, expected());
    ch_unlock();
    return there;
}

size_t ch_record_allocate(struct ch_block *b, size_t bytes) {
    size_t at = b->records_used, end = (at + bytes + CH_UNIT - 1) / CH_UNIT * CH_UNIT;
    if (!at) return SIZE_MAX;
    if (!b->records.base && !ch_records_open(b))
        b->records_used = 0; /* no address space: do not try again at each call */
    if (end > b->records.bytes) return SIZE_MAX;
    b->records_used = end;
    if (end > ch_load_relaxed(&most_records)) ch_store_relaxed(&most_records, end);
    return at;
}

void ch_block_add(struct ch_block *b, jint slot, uint32_t further, uint64_t n) {
    uint64_t *at = ch_slot(b, ((uint32_t)slot & (uint32_t)(ch_room.slots - 1)) + further);
    if (ch_block_is_shared(b))
        ch_add_relaxed(at, n);
    else
        *at += n;
}
