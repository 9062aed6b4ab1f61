/* The requests of rules at a probe, by its slot: read from the probe table when the probe runs for the first time, and
 * kept. */
#ifndef CLASSHOOK_RULE_SPECS_H
#define CLASSHOOK_RULE_SPECS_H
#include "../blocks/blocks.h"
#include <jni.h>

struct ch_specs {
    uint32_t slots; /* that such a probe has */
    void *(*read)(uint32_t slot); /* malloc'ed; NULL: no such probe begins there, or there is no memory */
    void (*prepare)(JNIEnv *env); /* before the first one; may be NULL */
    void **known; /* by slot */
};
extern char ch_no_spec;

void *ch_spec_read(struct ch_specs *specs, JNIEnv *env, uint32_t slot);

/* NULL: no such probe begins there. */
static inline void *ch_spec_of(struct ch_specs *specs, JNIEnv *env, jint slot) {
    if (!ch_slots_there(slot, specs->slots)) return NULL;
    void **all = ch_load_acquire(&specs->known), *spec = all ? ch_load_acquire(&all[slot]) : NULL;
    if (__builtin_expect(!spec, 0)) spec = ch_spec_read(specs, env, (uint32_t)slot);
    return spec == &ch_no_spec ? NULL : spec;
}
#endif
