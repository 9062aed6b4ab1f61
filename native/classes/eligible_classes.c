/* Which of the JVM's own classes may be woven. */
#include "classes.h"
#include <string.h>

bool ch_stacks_travel;

/* Classes that the probes themselves call: if woven, they would recurse. */
bool ch_is_tracker(jobject loader, const char *name) { return !loader && !strcmp(name, CH_TRACKER); }
bool ch_is_untouchable(jobject loader, const char *name) {
    return ch_is_tracker(loader, name) || (!loader && !strcmp(name, "jdk/internal/misc/Unsafe"));
}

/* Those that help: virtual threads take along what is theirs (instrument/weaving/class_weaver.py), and tasks keep their contexts (instrument/weaving/hand_over.py). */
static bool helps(const char *name) {
    static const char *const hand_over[] = {"java/lang/Thread",
                                            "java/lang/VirtualThread",
                                            "java/util/Timer",
                                            "java/util/TimerThread",
                                            "java/util/concurrent/ForkJoinPool",
                                            "java/util/concurrent/ForkJoinTask",
                                            "java/util/concurrent/ScheduledThreadPoolExecutor",
                                            "java/util/concurrent/ThreadPoolExecutor"};
    if ((ch_has_time || ch_has_profile || ch_has_contexts) && ch_stacks_travel && !strcmp(name, "java/lang/VirtualThread")) return true;
    if (!ch_has_contexts || strncmp(name, "java/", 5)) return false;
    for (size_t i = 0; i < sizeof hand_over / sizeof *hand_over; i++)
        if (!strcmp(name, hand_over[i])) return true;
    return false;
}

bool ch_may_match(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, bool *in_jdk) {
    if (!loader && helps(name)) return *in_jdk = true;
    return ch_filter_match(env, loader, name, supertypes, in_jdk);
}
