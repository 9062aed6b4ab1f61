/* Each is read once, with a lock, and read from then on without one. The time that this takes is no method's. */
#include "rule_specs.h"
#include "../threads/threads.h"
#include <pthread.h>

char ch_no_spec;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *ch_spec_read(struct ch_specs *specs, JNIEnv *env, uint32_t slot) {
    struct ch_region r;
    uint64_t began = ch_agents_work_begins();
    pthread_mutex_lock(&lock);
    if (!specs->known && ch_region_memory(&r, ch_room.slots * sizeof *specs->known)) {
        if (specs->prepare) specs->prepare(env);
        if (env && (*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
        ch_store_release(&specs->known, (void **)r.base);
    }
    if (specs->known && !specs->known[slot]) {
        void *spec = specs->read(slot);
        ch_store_release(&specs->known[slot], spec ? spec : &ch_no_spec);
    }
    if (!specs->known) ch_no_memory();
    void *spec = specs->known ? specs->known[slot] : &ch_no_spec;
    pthread_mutex_unlock(&lock);
    ch_agents_work_ends(began);
    return spec;
}
