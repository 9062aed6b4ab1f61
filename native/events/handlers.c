/* Who is to be told of what: a table of handlers, which only grows, and a list of them for each event. */
#include "../base/clock.h"
#include "events.h"
#include <pthread.h>
#include <string.h>

struct ch_handler ch_handlers[CH_MOST_HANDLERS]; /* 0 is none */
volatile bool ch_events_on;
static struct ch_handler *first[CH_EVENTS];
static uint32_t count = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The clock is chosen after the script was run. */
static void measure(struct ch_handler *h) { h->least = (int64_t)(ch_clock_ticks ? ch_clock_ticks_of(h->least_ns) : h->least_ns); }

void ch_handlers_measure(void) {
    for (uint32_t i = 1; i < count; i++) measure(&ch_handlers[i]);
}

uint32_t ch_handler_add(uint32_t event, bool sync, const char *glob, uint64_t least_ns) {
    uint32_t number = 0;
    pthread_mutex_lock(&lock);
    if (event < CH_EVENTS && count < CH_MOST_HANDLERS) {
        number = count++;
        struct ch_handler *h = &ch_handlers[number], **end = &first[event];
        *h = (struct ch_handler){.event = event, .sync = sync, .on = true, .glob = glob ? strdup(glob) : NULL, .least_ns = least_ns};
        while (*end) end = &(*end)->next;
        measure(h);
        __atomic_store_n(end, h, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return number;
}

struct ch_handler *ch_handlers_of(uint32_t event) { return __atomic_load_n(&first[event], __ATOMIC_ACQUIRE); }

bool ch_handler_exists(uint32_t event) { return ch_handlers_of(event); }

bool ch_tell(struct ch_handler *h, struct ch_call *call) {
    call->record.handler = ch_handler_number(h);
    call->record.event = h->event;
    if (!h->sync) {
        struct ch_noted *place = ch_ring_place(h);
        if (!place) return false;
        *place = call->record;
        ch_ring_filled(place);
        return true;
    }
    const struct ch_bridge *python = ch_python_bridge();
    if (!python || !ch_call_python(python->call, call)) return false;
    if (call->env && (*call->env)->ExceptionCheck(call->env)) (*call->env)->ExceptionClear(call->env);
    return true;
}

void ch_events_tell(uint32_t event, struct ch_call *call, const char *name) {
    if (!ch_events_on || ch_call_is_running()) return;
    for (struct ch_handler *h = ch_handlers_of(event); h; h = h->next)
        if (h->on && call->record.took >= h->least && (!h->glob || !name || ch_glob(h->glob, name))) ch_tell(h, call);
}
