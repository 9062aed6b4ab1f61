/* Each is read once, with a lock, and read from then on without one. */
#include "rule_specs.h"
#include <pthread.h>

char ch_no_spec;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *ch_spec_read(struct ch_specs *specs, JNIEnv *env, uint32_t slot) {
    struct ch_region r;
    pthread_mutex_lock(&lock);
    if (!specs->known && ch_region_memory(&r, ch_room.slots * sizeof *specs->known)) {
        if (specs->prepare) specs->prepare(env);
        ch_store_release(&specs->known, (void **)r.base);
    }
    if (specs->known && !specs->known[slot]) {
        void *spec = specs->read(slot);
        ch_store_release(&specs->known[slot], spec ? spec : &ch_no_spec);
    }
    void *spec = specs->known ? specs->known[slot] : &ch_no_spec;
    pthread_mutex_unlock(&lock);
    return spec;
}
