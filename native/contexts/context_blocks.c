/* Gives blocks to contexts.
 *
 * 1. A thread that enters a context takes a block that others have left, with what they counted; else one that is put
 *    back from a part (sealing.c); else an empty one.
 * 2. There are few blocks at first. When all are in use, the one is sealed in whose context no thread has been for the
 *    longest time, and becomes the next context's. Most contexts that are many never come again: tests, jobs.
 * 3. A context that comes again after that gets one more block instead, as long as all together take less than
 *    MOST_BYTES: soon all that come again have blocks, and entering them costs no more than a list's head.
 * 4. So a context never has more parts and blocks than there were threads in it at once, however often it is sealed.
 */
#include "context_blocks.h"
#include "../threads/thread_names.h"
#include <pthread.h>
#include <stdlib.h>

#define FEW_BYTES ((uint64_t)4 << 20) /* of blocks that there are at first ... */
#define MOST_BYTES ((uint64_t)512 << 20)
enum { LEAST = 4, FEW = 64 /* ... and how many */, MOST = 2048 };

struct ch_put_aside {
    struct ch_put_aside *next;
    struct ch_sealed *part;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below, and what contexts have */
static struct ch_block *oldest, *newest; /* that no thread is in */
static struct ch_block *empty;
static uint32_t made;

/* Lock held. */
static void unlink_unused(struct ch_block *b) {
    *(b->older ? &b->older->newer : &oldest) = b->newer;
    *(b->newer ? &b->newer->older : &newest) = b->older;
    b->older = b->newer = NULL;
}

/* Lock held. */
static void give(struct ch_context_blocks *c, struct ch_block *b) {
    b->context = c;
    b->next_free = c->unused;
    c->unused = b;
    b->older = newest;
    *(newest ? &newest->newer : &oldest) = b;
    newest = b;
}

void ch_context_block_give(struct ch_context_blocks *c, struct ch_block *b) {
    pthread_mutex_lock(&lock);
    give(c, b);
    pthread_mutex_unlock(&lock);
}

/* The first unused block. If threads count by name, only blocks and parts of its own name count. Lock held. */
static struct ch_block *first_unused(struct ch_context_blocks *c) {
    struct ch_block **at = &c->unused, *b;
    while ((b = *at) && b->thread_name != ch_self.thread_name) at = &b->next_free;
    if (!b) return NULL;
    *at = b->next_free;
    unlink_unused(b);
    return b;
}

static uint32_t own_thread(void) { return ch_self.thread_name ? ch_self.thread_name->slot : 0; }

/* Lock held. */
static struct ch_put_aside *first_part(struct ch_context_blocks *c) {
    struct ch_put_aside **at = &c->parts, *p;
    while ((p = *at) && p->part->thread != own_thread()) at = &p->next;
    if (p) *at = p->next;
    return p;
}

/* The one that was left first; lock held. */
static struct ch_block *oldest_unused(void) {
    struct ch_block *b = oldest;
    if (!b) return NULL;
    struct ch_block **at = &b->context->unused;
    while (*at != b) at = &(*at)->next_free;
    *at = b->next_free;
    unlink_unused(b);
    return b;
}

static bool may_make(bool returns) {
    uint64_t bytes = ch_block_bytes(), n = ch_load_relaxed(&made);
    if (n < LEAST) return true;
    if (!returns) return n < FEW && n * bytes < FEW_BYTES;
    return n < MOST &&
           (n * bytes < MOST_BYTES || ch_store_taken() < MOST_BYTES); /* most blocks take less than they may */
}

static struct ch_block *make(void) {
    struct ch_block *b = ch_block_made();
    if (b) ch_add_relaxed(&made, 1);
    return b;
}

static void put_aside(struct ch_context_blocks *c, struct ch_put_aside *p) {
    pthread_mutex_lock(&lock);
    p->next = c->parts;
    c->parts = p;
    pthread_mutex_unlock(&lock);
}

/* Seals the block of the context that was left first. NULL: there is none, or it cannot be sealed. */
static struct ch_block *seal_one(void) {
    struct ch_put_aside *p = malloc(sizeof *p);
    pthread_mutex_lock(&lock);
    struct ch_block *b = p ? oldest_unused() : NULL;
    pthread_mutex_unlock(&lock);
    enum ch_sealed_as as = b ? ch_block_seal(b, &p->part) : CH_NOT_SEALED;
    if (as == CH_SEALED_PART) {
        put_aside(b->context, p);
        return b;
    }
    free(p);
    if (as == CH_SEALED_EMPTY) return b;
    if (b) ch_context_block_give(b->context, b);
    return NULL;
}

static struct ch_block *empty_block(bool returns) {
    pthread_mutex_lock(&lock);
    struct ch_block *b = empty;
    if (b) empty = b->next_free;
    pthread_mutex_unlock(&lock);
    if (b || (may_make(returns) && (b = make())) || (b = seal_one())) return b;
    return make();
}

struct ch_block *ch_context_block_take(struct ch_context_blocks *c, uint32_t slot) {
    pthread_mutex_lock(&lock);
    struct ch_block *b = first_unused(c);
    struct ch_put_aside *p = b ? NULL : first_part(c);
    pthread_mutex_unlock(&lock);
    if (b) return b;
    if ((b = empty_block(p))) b->thread_name = ch_self.thread_name;
    if (p && b && ch_block_restore(b, p->part)) {
        free(p);
        return b;
    }
    if (p) put_aside(c, p);
    if (b) ch_block_belongs(b, slot, own_thread());
    return b;
}
