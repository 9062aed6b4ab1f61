/* Moments: single events with a time of their own, for timelines. The longest of each kind are kept; the others are
 * only in the sums.
 *
 * 1. A row is written when its event has ended, into the data file: it outlives a kill. While it is written, its time
 *    is 0.
 * 2. Which row has the shortest time is known by a heap in memory, the shortest on top. When there is no row left, a
 *    longer event takes that one.
 * 3. Pauses of the garbage collector come while all threads of the program stand still, perhaps one that has the lock:
 *    it holds it for a few additions, and calls nothing of the JVM meanwhile, so it does not stop there.
 */
#include "moments.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct kept {
    uint64_t took_ns;
    uint32_t row;
};

static struct ch_region region;
static struct kept heaps[CH_MOMENT_KINDS][CH_MOMENTS_MOST];
static uint64_t shortest[CH_MOMENT_KINDS]; /* that is kept; 0: there are rows left */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The largest number of kept moments. Of most kinds, there are so many only in a program that runs for long. But each
 * class is woven, and classes that come and go leave little behind. */
static uint32_t most(enum ch_moment_kind kind) {
    return kind == CH_MOMENT_WEAVING ? CH_MOMENTS_MOST / 10 : CH_MOMENTS_MOST;
}

static struct ch_moments_head *head(void) { return (struct ch_moments_head *)region.base; }

static struct ch_moment *row_at(enum ch_moment_kind kind, uint32_t i) {
    return (struct ch_moment *)(region.base + sizeof(struct ch_moments_head)) + (size_t)kind * CH_MOMENTS_MOST + i;
}

void ch_moment_table_open(void) {
    size_t rows = (size_t)CH_MOMENT_KINDS * CH_MOMENTS_MOST * sizeof(struct ch_moment);
    if (!ch_region_open(&region, CH_MOMENTS, 0, sizeof(struct ch_moments_head) + rows, 0)) region.base = NULL;
}

static void forget(JNIEnv *env) {
    (void)env;
    if (!region.base) return;
    pthread_mutex_lock(&lock);
    for (size_t kind = 0; kind < CH_MOMENT_KINDS; kind++) {
        ch_store_release(&head()->kinds[kind].kept, 0);
        ch_store_relaxed(&shortest[kind], 0);
    }
    pthread_mutex_unlock(&lock);
}

bool ch_moment_lasts(enum ch_moment_kind kind, uint64_t took_ns) {
    return region.base && took_ns > ch_load_relaxed(&shortest[kind]);
}

uint32_t ch_moment_cause(const char *text) {
    uint32_t n = 0;
    if (!region.base || !text) return 0;
    pthread_mutex_lock(&lock);
    char (*causes)[CH_CAUSE_BYTES] = head()->causes;
    while (n < CH_CAUSES && *causes[n] && strncmp(causes[n], text, CH_CAUSE_BYTES - 1)) n++;
    if (n < CH_CAUSES && !*causes[n]) snprintf(causes[n], CH_CAUSE_BYTES, "%s", text);
    pthread_mutex_unlock(&lock);
    return n < CH_CAUSES ? n + 1 : 0;
}

/* ---- under the lock */

static void move_up(struct kept *heap, uint32_t i) {
    const struct kept one = heap[i];
    for (; i && heap[(i - 1) / 2].took_ns > one.took_ns; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = one;
}

static void move_down(struct kept *heap, uint32_t n) {
    const struct kept one = heap[0];
    uint32_t i = 0;
    for (uint32_t below = 1; below < n; below = 2 * i + 1) {
        if (below + 1 < n && heap[below + 1].took_ns < heap[below].took_ns) below++;
        if (heap[below].took_ns >= one.took_ns) break;
        heap[i] = heap[below];
        i = below;
    }
    heap[i] = one;
}

static void write_row(struct ch_moment *to, const struct ch_moment *m) {
    (void)ch_exchange_acquire(&to->took_ns, 0);
    to->began_ns = m->began_ns;
    to->number = m->number;
    to->about = m->about;
    to->more = m->more;
    ch_store_release(&to->took_ns, m->took_ns);
}

static void keep(enum ch_moment_kind kind, const struct ch_moment *m) {
    struct kept *heap = heaps[kind];
    uint32_t n = (uint32_t)head()->kinds[kind].kept;
    if (n < most(kind)) {
        write_row(row_at(kind, n), m);
        heap[n] = (struct kept){m->took_ns, n};
        move_up(heap, n);
        ch_store_release(&head()->kinds[kind].kept, ++n);
    } else if (m->took_ns > heap[0].took_ns) {
        write_row(row_at(kind, heap[0].row), m);
        heap[0].took_ns = m->took_ns;
        move_down(heap, n);
    }
    if (n == most(kind)) ch_store_relaxed(&shortest[kind], heap[0].took_ns);
}

void ch_moment_add(enum ch_moment_kind kind, uint64_t began_ns, uint64_t took_ns, uint32_t about, uint32_t more) {
    if (!region.base) return;
    struct ch_moment m = {
        .took_ns = took_ns ? took_ns : 1, .began_ns = began_ns - ch_header->first_ns, .about = about, .more = more};
    pthread_mutex_lock(&lock);
    struct ch_moments_of_kind *sums = &head()->kinds[kind];
    m.number = sums->count + 1;
    ch_store_release(&sums->count, m.number);
    sums->total_ns += took_ns;
    keep(kind, &m);
    pthread_mutex_unlock(&lock);
}

const struct ch_measure ch_measure_moments = {.name = "moments", .anew = forget};
