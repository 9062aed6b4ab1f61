/* Stacks of queued events, by number: when a handler runs, the event's thread is elsewhere, so the stack must have been
 * taken when the event was.
 *
 * Most events have stacks that others have, too, so each stack is kept once, for the JVM's life. Without room, events
 * come without.
 */
#include "../base/table.h"
#include "events.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 1024, OURS = 2 /* frames of the tracker */, PART = 1024, PARTS = 4096 };
static const size_t MOST_BYTES = (size_t)256 << 20;

struct stack {
    jint n;
    jvmtiFrameInfo frames[];
};
struct sought {
    jint n;
    const jvmtiFrameInfo *frames;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the JVM is not called with it held */
static const struct stack **parts[PARTS]; /* they do not move, so that reading them needs no lock */
static uint32_t count = 1;
static size_t bytes;
static CH_TABLE(struct ch_numbered) numbers;

static const struct stack *at(uint32_t number) { return ch_load_acquire(&parts[number / PART][number % PART]); }

static bool is_same(const void *entry, const void *other) {
    const struct stack *a = at(((const struct ch_numbered *)entry)->number);
    const struct sought *b = other;
    return a->n == b->n && !memcmp(a->frames, b->frames, (size_t)a->n * sizeof *a->frames);
}

/* Adds a stack; its number, or 0: no room. Lock held. */
static uint32_t add(const struct sought *s, uint32_t hash) {
    size_t size = (size_t)s->n * sizeof *s->frames;
    const struct stack ***part = &parts[count / PART];
    if (count / PART == PARTS || bytes + size > MOST_BYTES || (!*part && !(*part = calloc(PART, sizeof **part))))
        return 0;
    struct stack *made = malloc(sizeof *made + size);
    if (!made || !ch_table_add(&numbers, hash, &(struct ch_numbered){.number = count})) {
        free(made);
        return 0;
    }
    made->n = s->n;
    memcpy(made->frames, s->frames, size);
    bytes += size;
    ch_store_release(&(*part)[count % PART], made);
    return count++;
}

static uint32_t number_of(const struct sought *s) {
    uint32_t hash = (uint32_t)ch_hash_own((struct ch_key){2, 2}, s->frames, (size_t)s->n * sizeof *s->frames).low;
    pthread_mutex_lock(&lock);
    const struct ch_numbered *known = ch_table_find(&numbers, hash, is_same, s);
    uint32_t number = known ? known->number : add(s, hash);
    pthread_mutex_unlock(&lock);
    return number;
}

uint32_t ch_stack_taken(uint32_t frames) {
    jint most = (jint)(frames < MOST_FRAMES ? frames : MOST_FRAMES) + OURS, n = 0;
    /* a thread of the program may have little stack left */
    jvmtiFrameInfo *taken = malloc((size_t)most * sizeof *taken);
    uint32_t number = 0;
    jvmtiError error =
        taken ? (*ch_jvmti)->GetStackTrace(ch_jvmti, NULL, 0, most, taken, &n) : JVMTI_ERROR_OUT_OF_MEMORY;
    if (error == JVMTI_ERROR_THREAD_NOT_ALIVE) n = 0; /* a thread that begins or ends has no frames of Java's */
    if (!error || error == JVMTI_ERROR_THREAD_NOT_ALIVE) number = number_of(&(struct sought){n, taken});
    free(taken);
    return number;
}

const jvmtiFrameInfo *ch_stack_frames(uint32_t number, jint *n) {
    if (!number || number / PART >= PARTS || !ch_load_acquire(&parts[number / PART])) return NULL;
    const struct stack *found = at(number);
    *n = found ? found->n : 0;
    return found ? found->frames : NULL;
}
