/* Events on their way from their threads to the drainer.
 *
 * 1. Each thread has a ring of its own, made at its first event; it writes there without a lock. Only the drainer reads.
 * 2. A full ring drops what comes, and the handler's loss is counted.
 * 3. The drainer looks by itself from time to time. Only a ring that fills up wakes it.
 * 4. The ring of a thread that has ended is given to another one, once it is empty.
 */
#include "events.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1024, WAKES_AT = 256 /* records; powers of two */, PATIENCE_MS = 1000 };

struct ring {
    uint32_t written, ended;          /* the writer's */
    uint32_t known;                   /* what the writer knows of `taken` */
    uint32_t thread;                  /* number of its name */
    struct ring *next, *next_free;
    uint32_t taken __attribute__((aligned(64))); /* the drainer's */
    struct ch_noted records[ROOM] __attribute__((aligned(64)));
};

int ch_rings_wake = -1;
static struct ring *all, *spare;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct ring *own __attribute__((tls_model("initial-exec")));

static struct ring *make(void) {
    pthread_mutex_lock(&lock);
    struct ring *r = spare;
    if (r) spare = r->next_free;
    pthread_mutex_unlock(&lock);
    if (!r) {
        if (posix_memalign((void **)&r, 64, sizeof *r)) return NULL;
        r->written = r->known = r->taken = 0;
        r->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&all, &r->next, r, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
    }
    r->thread = ch_own_thread_name();
    __atomic_store_n(&r->ended, 0, __ATOMIC_RELEASE);
    return own = r;
}

struct ch_noted *ch_ring_place(struct ch_handler *h) {
    struct ring *r = own ? own : make();
    if (r && r->written - r->known >= ROOM) r->known = __atomic_load_n(&r->taken, __ATOMIC_ACQUIRE);
    if (!r || r->written - r->known >= ROOM) {
        __atomic_fetch_add(&h->lost, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    return &r->records[r->written % ROOM];
}

void ch_ring_filled(struct ch_noted *place) {
    struct ring *r = own;
    place->thread = r->thread;
    __atomic_store_n(&r->written, r->written + 1, __ATOMIC_RELEASE);
    if (r->written % WAKES_AT == 0 && ch_rings_wake >= 0) (void)!write(ch_rings_wake, &(uint64_t){1}, sizeof(uint64_t));
}

void ch_ring_wait(void) {
    static __thread bool in_vain __attribute__((tls_model("initial-exec")));
    const struct ring *r = own;
    int patience = in_vain ? 0 : PATIENCE_MS;
    if (!r) return;
    for (; r->written - __atomic_load_n(&r->taken, __ATOMIC_ACQUIRE) > ROOM / 2 && patience; patience--) nanosleep(&(struct timespec){0, 1000000}, NULL);
    in_vain = !patience && r->written - __atomic_load_n(&r->taken, __ATOMIC_ACQUIRE) > ROOM / 2;
}

void ch_ring_leave(void) {
    if (own) __atomic_store_n(&own->ended, 1, __ATOMIC_RELEASE);
    own = NULL;
}

static void give_back(struct ring *r) {
    __atomic_store_n(&r->ended, 2, __ATOMIC_RELAXED); /* so that it is given back once */
    pthread_mutex_lock(&lock);
    r->next_free = spare;
    spare = r;
    pthread_mutex_unlock(&lock);
}

uint32_t ch_rings_take(struct ch_noted *to, uint32_t most) {
    uint32_t n = 0;
    for (struct ring *r = __atomic_load_n(&all, __ATOMIC_ACQUIRE); r && n < most; r = r->next) {
        bool ended = __atomic_load_n(&r->ended, __ATOMIC_ACQUIRE) == 1;
        uint32_t written = __atomic_load_n(&r->written, __ATOMIC_ACQUIRE), taken = r->taken;
        for (; taken != written && n < most; taken++) to[n++] = r->records[taken % ROOM];
        __atomic_store_n(&r->taken, taken, __ATOMIC_RELEASE);
        if (ended && taken == written) give_back(r);
    }
    return n;
}
