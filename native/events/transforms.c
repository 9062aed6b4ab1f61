/* Class files on their way to the JVM, changed by scripts.
 *
 * The hook of the environment of events comes after the agent's own, as the JVM calls them in the order in which their environments were made: a
 * transformer sees the class as it was woven. Each gets what the one before it gave.
 */
#include "../base/clock.h"
#include "events.h"
#include <stdlib.h>
#include <string.h>

/* A pattern that begins with a wildcard stays out of the classes of the boot loader. */
static bool applies(const struct ch_handler *h, jobject loader, const char *name) {
    return h->on && (!h->glob || ((loader || h->glob[0] != '*') && ch_glob(h->glob, name)));
}

void JNICALL ch_transform_class(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name, jobject domain, jint bytes,
                                const unsigned char *data, jint *new_bytes, unsigned char **new_data) {
    char *changed = NULL;
    uint32_t n = (uint32_t)bytes;
    unsigned char *to;
    (void)redefined, (void)domain;
    if (!ch_events_on || !env || !name || ch_introducing || ch_is_tracker(NULL, name)) return;
    for (struct ch_handler *h = ch_handlers_of(CH_EVENT_TRANSFORM); h; h = h->next) {
        if (!applies(h, loader, name)) continue;
        struct ch_call call = {.record = {.time = ch_about_now(), .name = ch_class_number(name)}, .env = env,
                               .data = changed ? (unsigned char *)changed : data, .bytes = n};
        ch_tell(h, &call);
        if (!call.answer) continue;
        free(changed);
        changed = call.answer;
        n = call.answer_bytes;
    }
    if (changed && !(*jvmti)->Allocate(jvmti, n, &to)) {
        memcpy(to, changed, n);
        *new_data = to;
        *new_bytes = (jint)n;
    }
    free(changed);
}
