/* The connections of this library: the agent below, and the code on top. */
#include "embedded.h"

const struct ch_hub *ch_hub;
/* In the place of the layer above, where it is not there. */
static void nothing(void) {}
static void forget(uint64_t number) { (void)number; }
static const struct ch_extension none = {nothing, forget, nothing, nothing, nothing};
const struct ch_extension *ch_extension = &none;

jvmtiEnv *ch_own_tags(void) {
    static const jvmtiCapabilities wanted = {.can_tag_objects = 1};
    jvmtiEnv *made = NULL;
    if ((*ch_hub->vm)->GetEnv(ch_hub->vm, (void **)&made, JVMTI_VERSION_1_2)) return NULL;
    if (!(*made)->AddCapabilities(made, &wanted)) return made;
    (void)(*made)->DisposeEnvironment(made); /* it has enabled no event */
    return NULL;
}
