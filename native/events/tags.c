/* Objects that scripts marked, and what is told when they are freed.
 *
 * A tag is a number: its name's, and below it one that no other object has. They are in an environment of their own, since an object has one tag in each.
 * The JVM tells of freed objects after a collection, on a thread of its own: into the ring.
 */
#include "../base/clock.h"
#include "events.h"

static jvmtiEnv *jvmti;
static uint32_t last;

static void JNICALL freed(jvmtiEnv *e, jlong tag) {
    (void)e;
    struct ch_call call = {.record = {.time = ch_about_now(), .name = (uint32_t)(tag >> 32), .more = {0, (uint64_t)tag}}};
    ch_events_tell(CH_EVENT_OBJECT_FREE, &call, ch_name_of(call.record.name));
}

jvmtiEnv *ch_tags_apart(const jvmtiEventCallbacks *callbacks) {
    static const jvmtiCapabilities wanted = {.can_tag_objects = 1, .can_generate_object_free_events = 1};
    jvmtiEnv *made = NULL;
    if ((*ch_vm)->GetEnv(ch_vm, (void **)&made, JVMTI_VERSION_1_2) || (*made)->AddCapabilities(made, &wanted)) return NULL;
    return (*made)->SetEventCallbacks(made, callbacks, sizeof *callbacks) ? NULL : made;
}

bool ch_tags_start(void) {
    static const jvmtiEventCallbacks callbacks = {.ObjectFree = freed};
    if (!jvmti && !(jvmti = ch_tags_apart(&callbacks))) return false;
    return !ch_handler_exists(CH_EVENT_OBJECT_FREE) || !(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE, NULL);
}

void ch_tags_stop(void) {
    if (jvmti) (void)(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_OBJECT_FREE, NULL);
}

int64_t ch_tag(jobject object, const char *name) {
    uint32_t number = name ? ch_name_number(name) : 0;
    if (!jvmti || (name && !number)) return -1;
    int64_t tag = name ? (int64_t)number << 32 | __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED) : 0;
    return (*jvmti)->SetTag(jvmti, object, tag) ? -1 : tag;
}

const char *ch_tag_of(jobject object, int64_t *id) {
    jlong tag = 0;
    if (!jvmti || (*jvmti)->GetTag(jvmti, object, &tag) || !tag) return NULL;
    *id = tag;
    return ch_name_of((uint32_t)(tag >> 32));
}
