/* Which of the JVM's own classes may be woven. */
#include "classes.h"
#include <string.h>

bool ch_stacks_travel;

/* Classes that the probes themselves call: if woven, they would recurse. */
bool ch_is_tracker(jobject loader, const char *name) { return !loader && !strcmp(name, CH_TRACKER); }
bool ch_is_untouchable(jobject loader, const char *name) {
    return ch_is_tracker(loader, name) || (!loader && !strcmp(name, "jdk/internal/misc/Unsafe"));
}

bool ch_may_match(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, bool *in_jdk) {
    if ((ch_has_time || ch_has_profile) && ch_stacks_travel && !loader && !strcmp(name, "java/lang/VirtualThread")) return *in_jdk = true;
    return ch_filter_match(env, loader, name, supertypes, in_jdk);
}
