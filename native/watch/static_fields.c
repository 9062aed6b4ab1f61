/* Static fields by the names of their classes.
 *
 * A class is found among the loaded ones when a condition is first decided; if it is not initialised yet, it is looked
 * for again later. Reading its fields before would be harmless, but what they have then is not what the program gave
 * them. No class is loaded or initialised for it.
 */
#include "../base/clock.h"
#include "watch.h"
#include <string.h>

enum { LONGEST = 1024 };
enum { MORE = 20 /* times as long as it took, a class is not looked for again */ };

static bool is_it(jclass c, const char *wanted) {
    char name[LONGEST];
    jint status = 0;
    return !(*ch_jvmti)->GetClassStatus(ch_jvmti, c, &status) && status & JVMTI_CLASS_STATUS_INITIALIZED &&
           ch_name_of_class(c, name, sizeof name) && !strcmp(name, wanted);
}

/* A reference to the only initialised class of this name; NULL: there is none, or there are several. */
static jclass found(JNIEnv *env, const char *wanted) {
    jclass *all = NULL, only = NULL;
    jint n = 0, alike = 0;
    if ((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &all)) return NULL;
    for (jint i = 0; i < n; i++) {
        if (is_it(all[i], wanted) && !alike++)
            only = all[i];
        else
            (*env)->DeleteLocalRef(env, all[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
    if (alike > 1) (*env)->DeleteLocalRef(env, only);
    return alike == 1 ? only : NULL;
}

static jclass class_of(JNIEnv *env, struct ch_owner *owner) {
    jweak known = ch_load_acquire(&owner->class);
    jclass c = known ? (*env)->NewLocalRef(env, known) : NULL;
    uint64_t now = c ? 0 : ch_monotonic_ns(), last = ch_load_relaxed(&owner->looked_ns),
             patience = ch_load_relaxed(&owner->patience_ns);
    if (c || (last && now - last < patience) || !ch_replace_relaxed(&owner->looked_ns, &last, now)) return c;
    c = found(env, owner->name);
    ch_store_relaxed(&owner->patience_ns, MORE * (ch_monotonic_ns() - now));
    jweak weak = c ? (*env)->NewWeakGlobalRef(env, c) : NULL;
    if (weak && !ch_replace_acquire(&owner->class, &known, weak)) (*env)->DeleteWeakGlobalRef(env, weak);
    return c;
}

struct ch_value_seen ch_static_value(JNIEnv *env, const struct ch_way *way) {
    jclass c = way->owner && way->steps ? class_of(env, way->owner) : NULL;
    struct ch_value_seen v = {.kind = CH_VALUE_NONE};
    if (c) v = ch_static_field_value(env, c, &way->step[0]);
    if (c) (*env)->DeleteLocalRef(env, c);
    return v;
}
