/* Objects that scripts marked, and the events of those that are freed.
 *
 * A mark is a number: the number of its name, and in the lower 32 bits one that no other object has. If there are
 * handlers of object_free when it is marked, the object's tag is the mark's place in a set of weak references, a
 * smaller number; else the mark itself. The tags have an environment of their own, since an object has one tag in each;
 * another session has another one.
 */
#include "../base/clock.h"
#include "events.h"

static jvmtiEnv *jvmti;
static uint32_t last;
static bool told; /* there are handlers */
static bool ended; /* the session, and with it the set */

static void freed(uint64_t id) {
    struct ch_call call = {.record = {.time = ch_about_now(), .name = (uint32_t)(id >> 32), .more = {0, id}}};
    ch_handlers_notify(CH_EVENT_OBJECT_FREE, &call, ch_name_of(call.record.name));
    ch_queue_wait();
}

static struct ch_weak_set marked = {.freed = freed};

jvmtiEnv *ch_tags_environment(const jvmtiEventCallbacks *callbacks) {
    static const jvmtiCapabilities wanted = {.can_tag_objects = 1};
    jvmtiEnv *made = NULL;
    if ((*ch_vm)->GetEnv(ch_vm, (void **)&made, JVMTI_VERSION_1_2) || (*made)->AddCapabilities(made, &wanted))
        return NULL;
    return (*made)->SetEventCallbacks(made, callbacks, sizeof *callbacks) ? NULL : made;
}

bool ch_tags_start(JNIEnv *env) {
    static const jvmtiEventCallbacks none = {0};
    if (ended && jvmti && !(*jvmti)->DisposeEnvironment(jvmti)) jvmti = NULL;
    ended = false;
    if (!jvmti && !(jvmti = ch_tags_environment(&none))) return false;
    told = ch_handler_exists(CH_EVENT_OBJECT_FREE) && ch_weak_open(&marked, env);
    return told || !ch_handler_exists(CH_EVENT_OBJECT_FREE);
}

static void tag_itself(JNIEnv *env, jobject object, uint64_t number, void *unused) {
    (void)env, (void)unused;
    (void)(*jvmti)->SetTag(jvmti, object, (jlong)number);
}

/* Objects keep their marks: handlers of `end` may ask for them. */
void ch_tags_stop(JNIEnv *env) {
    ch_store_relaxed(&ended, true);
    if (told) (void)ch_weak_each(&marked, env, tag_itself, NULL);
    told = false;
    ch_weak_close(&marked, env);
}

static bool is_place(jlong tag) { return tag && tag <= UINT32_MAX; }

/* Threads that mark one object take turns: only Python calls this, with its GIL held. */
int64_t ch_tag(JNIEnv *env, jobject object, const char *name) {
    uint32_t number = name ? ch_name_number(name) : 0;
    jlong tag = 0;
    if (ch_is_value(env, object)) return name ? -1 : 0;
    if (!jvmti || (name && !number) || (*jvmti)->GetTag(jvmti, object, &tag)) return -1;
    uint64_t id = name ? (uint64_t)number << 32 | (ch_add_relaxed(&last, 1) + 1) : 0;
    if (is_place(tag))
        ch_weak_renumber(&marked, (uint32_t)tag, id);
    else
        tag = told && id ? ch_weak_add(&marked, env, object, id) : (jlong)id;
    if (!tag && ch_load_relaxed(&ended)) tag = (jlong)id; /* a handler that runs on while the agent is detached */
    return (name && !tag) || (*jvmti)->SetTag(jvmti, object, id ? tag : 0) ? -1 : (int64_t)id;
}

jvmtiEnv *ch_tags(void) { return jvmti; }

static uint64_t mark_of(jlong tag) { return is_place(tag) ? ch_weak_number(&marked, (uint32_t)tag) : (uint64_t)tag; }

uint32_t ch_tag_name(jlong tag) { return (uint32_t)(mark_of(tag) >> 32); }

const char *ch_tag_of(jobject object, int64_t *id) {
    jlong tag = 0;
    if (!jvmti || (*jvmti)->GetTag(jvmti, object, &tag) || !tag) return NULL; /* so it is of a value object */
    *id = (int64_t)mark_of(tag);
    return *id ? ch_name_of((uint32_t)(*id >> 32)) : NULL;
}
