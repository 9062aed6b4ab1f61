/* Methods with probes of `event`, by their slots: from the probe table, when the probe runs for the first time. Any
 * slot is safe: a program may call the tracker with any number.
 */
#include "events.h"
#include <pthread.h>
#include <stdlib.h>

static const struct ch_probed **known; /* by slot; one that is none: &nothing */
static const struct ch_probed nothing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void tell(struct ch_probed *p, struct ch_text handlers, bool exit) {
    uint32_t handler;
    while (ch_text_number(&handlers, &handler))
        if (handler && handler < CH_MOST_HANDLERS) p->told[p->n++] = (struct ch_probe_handler){(uint16_t)handler, exit};
}

static const struct ch_probed *find(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    if (!ch_probe_of(slot, CH_KIND(EVENT), &class_name, &p)) return &nothing;
    struct ch_probed *made = calloc(1, sizeof *made + (p.event.entry.bytes + p.event.exit.bytes) *
                                                          sizeof *made->told); /* more than numbers */
    char *name = ch_text_copy(class_name), *method = ch_text_copy(p.method), *descriptor = ch_text_copy(p.descriptor);
    if (!made || !name || !method || !descriptor) {
        free(name);
        free(method);
        free(descriptor);
        free(made);
        ch_no_memory();
        return &nothing;
    }
    made->site = (struct ch_site){name, method, descriptor};
    tell(made, p.event.entry, false);
    tell(made, p.event.exit, true);
    return made;
}

const struct ch_probed *ch_probed(uint32_t slot) {
    struct ch_region r;
    if (!ch_slots_there((jint)slot, 1)) return NULL;
    if (!ch_load_acquire(&known)) {
        pthread_mutex_lock(&lock);
        if (!known && ch_region_memory(&r, ch_room.slots * sizeof *known))
            ch_store_release(&known, (const struct ch_probed **)r.base);
        pthread_mutex_unlock(&lock);
        if (!known) {
            ch_no_memory();
            return NULL;
        }
    }
    const struct ch_probed *p = ch_load_acquire(&known[slot]);
    if (!p) {
        pthread_mutex_lock(&lock);
        if (!known[slot]) ch_store_release(&known[slot], find(slot));
        p = known[slot];
        pthread_mutex_unlock(&lock);
    }
    return p == &nothing ? NULL : p;
}
