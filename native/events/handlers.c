/* The handlers of events: a table of all handlers, which only grows, and a list of them for each event.
 *
 * A handler that is removed is taken out of its list, and still leads to those behind it: a thread may be looking at
 * it.
 */
#include "../base/clock.h"
#include "events.h"
#include <pthread.h>
#include <string.h>

struct ch_handler ch_handlers[CH_MOST_HANDLERS]; /* 0 is none */
bool ch_events_on;
static struct ch_handler *first[CH_EVENTS];
static uint32_t count = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The clock is chosen after the script was run. */
static void measure(struct ch_handler *h) {
    h->least = (int64_t)(ch_clock_ticks ? ch_clock_ticks_of(h->least_ns) : h->least_ns);
}

void ch_handlers_measure(void) {
    for (uint32_t i = 1; i < count; i++) measure(&ch_handlers[i]);
}

uint32_t ch_handler_add(uint32_t event, bool sync, const char *glob, uint64_t least_ns) {
    uint32_t number = 0;
    char *own_glob = glob ? strdup(glob) : NULL;
    if (glob && !own_glob) return 0;
    pthread_mutex_lock(&lock);
    if (event < CH_EVENTS && count < CH_MOST_HANDLERS) {
        number = count++;
        struct ch_handler *h = &ch_handlers[number], **end = &first[event];
        *h = (struct ch_handler){.event = event, .sync = sync, .fresh = true, .glob = own_glob, .least_ns = least_ns};
        while (*end) end = &(*end)->next;
        measure(h);
        ch_store_release(end, h);
    }
    pthread_mutex_unlock(&lock);
    if (!number) free(own_glob);
    return number;
}

void ch_handler_remove(uint32_t number) {
    if (!number || number >= CH_MOST_HANDLERS) return;
    struct ch_handler *h = &ch_handlers[number];
    pthread_mutex_lock(&lock);
    struct ch_handler **at = &first[h->event];
    ch_store_relaxed(&h->on, false);
    while (*at && *at != h) at = &(*at)->next;
    if (*at) ch_store_release(at, h->next);
    pthread_mutex_unlock(&lock);
}

struct ch_handler *ch_handlers_of(uint32_t event) { return ch_load_acquire(&first[event]); }

bool ch_handler_exists(uint32_t event) { return ch_handlers_of(event); }

/* Puts an event into the queue. Events without JNI come on threads that must not wait. */
static bool put(struct ch_handler *h, struct ch_call *call) {
    uint32_t frames = ch_load_relaxed(&h->frames);
    if (!call->record.time) call->record.time = ch_about_now();
    call->record.stack = (frames && call->env ? ch_stack_taken(frames) : 0) & CH_STACK_BITS;
    struct ch_noted *place = ch_queue_place(h, call->env);
    if (!place) return false;
    *place = call->record;
    ch_queue_filled(place);
    return true;
}

bool ch_handler_notify(struct ch_handler *h, struct ch_call *call) {
    call->record.handler = ch_handler_number(h);
    call->record.event = h->event;
    if (!h->sync) return put(h, call);
    const struct ch_bridge *python = ch_python_bridge();
    if (!python || !ch_call_python(python->call, call)) return false;
    if (call->env && (*call->env)->ExceptionCheck(call->env)) (*call->env)->ExceptionClear(call->env);
    return true;
}

void ch_handlers_notify(uint32_t event, struct ch_call *call, const char *name) {
    if (!ch_load_acquire(&ch_events_on) || ch_call_is_running()) return;
    for (struct ch_handler *h = ch_handlers_of(event); h; h = h->next)
        if (ch_load_relaxed(&h->on) && call->record.took >= h->least && (!h->glob || !name || ch_glob(h->glob, name)))
            ch_handler_notify(h, call);
}
