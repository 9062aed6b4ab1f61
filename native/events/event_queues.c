/* Events on their way from their threads to the drainer.
 *
 * 1. Each thread has a queue of its own, made at its first event: a list of parts, which grows. It writes there without
 *    a lock. Only the drainer reads, and frees what it has read.
 * 2. The drainer takes the events of all threads in the order of their times, so that an object is not freed before it
 *    is allocated. Events as old as its look at the queues, or older, are there: a thread that has seen the effect of
 *    an event waits for the next look.
 * 3. If the queues have MANY parts together, a thread that may wait waits until some are read. It goes on, and the
 *    queues grow, if that cannot help: the drainer is itself blocked in Java, maybe by a lock of this thread's, or has
 *    got nowhere for a while. Threads of the JVM, and all of them at the JVM's end, go on at once.
 * 4. An event is lost if the queues have MOST parts, or if the handler would rather lose it than wait. The handler's
 *    loss is counted.
 * 5. The queue of a thread that has ended is given to another one, once it is empty.
 */
#include "../base/clock.h"
#include "events.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    ROOM = 256,     /* records of a part: 16 KB */
    LOSSY = 1024,   /* records that a thread may have on their way to handlers that would rather lose some */
    MANY = 2048,    /* parts: 32 MB; or as CLASSHOOK_EVENTS_MB says */
    MOST_TIMES = 4, /* MOST is so many times MANY */
    PART_KB = ROOM * 64 / 1024,
};
static const uint64_t PATIENCE_NS = 10000000000;

struct part {
    struct part *next;
    uint32_t filled; /* the writer's, who sets `next` after the last one */
    struct ch_noted records[ROOM] __attribute__((aligned(64)));
};

struct queue {
    struct part *last;  /* this and the following ones are the writer's */
    uint64_t written;
    uint64_t known;     /* what the writer knows of `taken` */
    uint32_t thread;    /* number of its name */
    uint32_t ended;
    struct queue *next, *next_free;
    struct part *first __attribute__((aligned(64))); /* this and the following ones are the drainer's */
    uint32_t at;        /* in the first part */
    uint64_t taken;
};

int ch_queues_wake = -1;
uint64_t ch_events_handled;
static struct queue *all, *spare;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t parts;             /* of all queues, beside the first one of each */
static uint32_t many = MANY;
static jthread drainer;
static bool hurry;                 /* no thread waits any more */
static uint64_t in_vain_since = UINT64_MAX; /* what was handled when a thread found that to wait is no help */
static __thread struct queue *own __attribute__((tls_model("initial-exec")));
static __thread bool drains __attribute__((tls_model("initial-exec")));

void ch_queues_open(void) {
    enum { MOST_MB = 1 << 16 };
    const char *text = getenv("CLASSHOOK_EVENTS_MB");
    unsigned long mb = text ? strtoul(text, NULL, 10) : 0;
    if (mb) ch_store_relaxed(&many, (uint32_t)(mb < MOST_MB ? mb : MOST_MB) * (1024 / PART_KB));
    ch_store_relaxed(&hurry, false);
}

void ch_queues_hurry(void) { ch_store_relaxed(&hurry, true); }

void ch_queues_drain_here(jthread thread) {
    drains = true;
    ch_store_release(&drainer, thread);
}

bool ch_queues_drains(void) { return drains; }

/* In Java: it waits for a lock there, or to be notified. */
bool ch_queues_drainer_is_blocked(void) {
    jthread thread = ch_load_acquire(&drainer);
    jint state = 0;
    return thread && !(*ch_jvmti)->GetThreadState(ch_jvmti, thread, &state) &&
           state & (JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_WAITING);
}

/* ---- a thread's own queue */

static struct part *make_part(void) {
    struct part *p;
    if (posix_memalign((void **)&p, 64, sizeof *p)) return NULL;
    p->next = NULL;
    p->filled = 0;
    return p;
}

static struct queue *make(void) {
    pthread_mutex_lock(&lock);
    struct queue *q = spare;
    if (q) spare = q->next_free;
    pthread_mutex_unlock(&lock);
    if (!q) {
        struct part *p = make_part();
        if (!p || posix_memalign((void **)&q, 64, sizeof *q)) {
            free(p);
            return NULL;
        }
        *q = (struct queue){.last = p, .first = p};
        ch_push(&all, q, next);
    }
    q->thread = ch_own_thread_name();
    ch_store_release(&q->ended, 0);
    return own = q;
}

/* Until the queues have room again, if that is to be expected. */
static void wait_for_room(void) {
    uint64_t handled = ch_load_relaxed(&ch_events_handled), since = ch_monotonic_ns();
    while (ch_load_relaxed(&parts) >= ch_load_relaxed(&many) && !ch_load_relaxed(&hurry) &&
           ch_load_relaxed(&in_vain_since) != handled) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        uint64_t now = ch_monotonic_ns(), before = handled;
        handled = ch_load_relaxed(&ch_events_handled);
        if (handled != before)
            since = now;
        else if (now - since > PATIENCE_NS || (now - since > CH_SOON_NS && ch_queues_drainer_is_blocked()))
            ch_store_relaxed(&in_vain_since, handled);
    }
}

static bool grow(struct queue *q, bool may_wait) {
    if (ch_load_relaxed(&parts) >= ch_load_relaxed(&many) && may_wait && !drains) wait_for_room();
    struct part *p = ch_load_relaxed(&parts) < ch_load_relaxed(&many) * MOST_TIMES ? make_part() : NULL;
    if (!p) return false;
    ch_add_relaxed(&parts, 1);
    ch_store_release(&q->last->next, p);
    q->last = p;
    return true;
}

static bool is_behind(struct queue *q) {
    if (q->written - q->known >= LOSSY) q->known = ch_load_acquire(&q->taken);
    return q->written - q->known >= LOSSY;
}

struct ch_noted *ch_queue_place(struct ch_handler *h, bool may_wait) {
    struct queue *q = own ? own : make();
    bool lossy = ch_load_relaxed(&h->lossy);
    if (!q || (lossy && is_behind(q)) || (q->last->filled == ROOM && !grow(q, may_wait && !lossy))) {
        ch_add_relaxed(&h->lost, 1);
        return NULL;
    }
    return &q->last->records[q->last->filled];
}

void ch_queue_filled(struct ch_noted *place) {
    struct queue *q = own;
    place->thread = q->thread;
    ch_store_release(&q->last->filled, q->last->filled + 1);
    q->written++;
    if (q->last->filled == ROOM && ch_queues_wake >= 0) (void)!write(ch_queues_wake, &(uint64_t){1}, sizeof(uint64_t));
}

void ch_queue_wait(void) {
    if (!drains) wait_for_room();
}

void ch_queue_leave(void) {
    if (own) ch_store_release(&own->ended, 1);
    own = NULL;
}

/* ---- the drainer */

static void give_back(struct queue *q) {
    ch_store_relaxed(&q->ended, 2); /* so that it is given back once */
    pthread_mutex_lock(&lock);
    q->next_free = spare;
    spare = q;
    pthread_mutex_unlock(&lock);
}

/* The oldest event of the queue; NULL: there is none. */
static const struct ch_noted *oldest(struct queue *q) {
    if (q->at == ROOM) {
        struct part *next = ch_load_acquire(&q->first->next);
        if (!next) return NULL;
        free(q->first);
        ch_sub_relaxed(&parts, 1);
        q->first = next;
        q->at = 0;
    }
    return q->at < ch_load_acquire(&q->first->filled) ? &q->first->records[q->at] : NULL;
}

static uint64_t time_of(struct queue *q) {
    const struct ch_noted *e = oldest(q);
    return e ? e->time : UINT64_MAX;
}

/* ---- those that have events: a heap, the one with the oldest event on top */

static struct queue **sources;
static uint32_t sources_room;

static bool comes_first(uint32_t a, uint32_t b) { return time_of(sources[a]) < time_of(sources[b]); }

static void exchange(uint32_t a, uint32_t b) {
    struct queue *q = sources[a];
    sources[a] = sources[b];
    sources[b] = q;
}

static void rise(uint32_t i) {
    for (; i && comes_first(i, (i - 1) / 2); i = (i - 1) / 2) exchange(i, (i - 1) / 2);
}

/* The older one of those below a place; `n`: there are none. */
static uint32_t below(uint32_t i, uint32_t n) {
    uint32_t left = 2 * i + 1;
    return left >= n ? n : left + 1 < n && comes_first(left + 1, left) ? left + 1 : left;
}

static void sink(uint32_t n) {
    for (uint32_t i = 0, next; (next = below(i, n)) < n && comes_first(next, i); i = next) exchange(i, next);
}

static uint32_t find_sources(void) {
    uint32_t n = 0;
    for (struct queue *q = ch_load_acquire(&all); q; q = q->next) {
        bool ended = ch_load_acquire(&q->ended) == 1, empty = !oldest(q);
        if (empty && ended) give_back(q);
        if (empty) continue;
        if (n == sources_room) {
            struct queue **more = realloc(sources, (n * 2 + 16) * sizeof *more);
            if (!more) break; /* the others have their turn when these are empty */
            sources = more;
            sources_room = n * 2 + 16;
        }
        sources[n] = q;
        rise(n++);
    }
    return n;
}

uint32_t ch_queues_take(struct ch_noted *to, uint32_t most, uint64_t *complete) {
    static bool all_at_once; /* no event was old enough, by a clock that was set back */
    uint64_t now = ch_now(), until = all_at_once ? UINT64_MAX : now;
    uint32_t sources_left = find_sources(), n = 0;
    all_at_once = sources_left;
    while (sources_left && n < most && time_of(sources[0]) <= until) {
        uint32_t next = below(0, sources_left), before = n;
        uint64_t end = next < sources_left ? time_of(sources[next]) : until;
        if (end > until) end = until;
        struct queue *q = sources[0];
        for (const struct ch_noted *e; n < most && (e = oldest(q)) && e->time <= end; q->at++) to[n++] = *e;
        ch_store_release(&q->taken, q->taken + n - before);
        if (!oldest(q)) sources[0] = sources[--sources_left];
        sink(sources_left);
        all_at_once = false;
    }
    *complete = n == most ? to[n - 1].time - 1 : now;
    return n;
}
