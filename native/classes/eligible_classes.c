/* Says which of the JVM's own classes may be woven. */
#include "classes.h"
#include <string.h>

bool ch_stacks_travel, ch_support_first, ch_support_changes;

/* Classes that the probes themselves call: if woven, they would recurse. */
bool ch_is_tracker(jobject loader, const char *name) { return !loader && !strcmp(name, CH_TRACKER); }
bool ch_is_untouchable(jobject loader, const char *name) {
    return ch_is_tracker(loader, name) || (!loader && !strcmp(name, "jdk/internal/misc/Unsafe"));
}

/* Classes of the JDK that help: virtual threads take along what is theirs (instrument/weaving/class_weaver.py), and
 * tasks keep their contexts (instrument/weaving/hand_over.py, which has the same names). */
static const char *const of_jdk[] = {"java/lang/Thread",
                                     "java/lang/VirtualThread",
                                     "java/util/Timer",
                                     "java/util/TimerThread",
                                     "java/util/concurrent/ForkJoinPool",
                                     "java/util/concurrent/ForkJoinTask",
                                     "java/util/concurrent/ScheduledThreadPoolExecutor",
                                     "java/util/concurrent/ThreadPoolExecutor"};
/* Classes of libraries that have queues of their own. */
static const char *const of_libraries[] = {
    "io/grpc/stub/ServerCalls$StreamingServerCallHandler$StreamingServerCallListener",
    "io/netty/util/concurrent/AbstractEventExecutor",
    "io/netty/util/concurrent/ScheduledFutureTask",
    "io/netty/util/concurrent/SingleThreadEventExecutor",
    "kotlinx/coroutines/DispatchedTask",
    "kotlinx/coroutines/EventLoopImplBase",
    "kotlinx/coroutines/EventLoopImplBase$DelayedResumeTask",
    "kotlinx/coroutines/EventLoopImplBase$DelayedRunnableTask",
    "kotlinx/coroutines/EventLoopImplBase$DelayedTask",
    "kotlinx/coroutines/scheduling/CoroutineScheduler",
    "org/apache/catalina/core/AsyncContextImpl",
    "org/apache/tomcat/util/threads/ThreadPoolExecutor",
    "org/eclipse/jetty/util/thread/QueuedThreadPool",
    "org/eclipse/jetty/util/thread/strategy/AdaptiveExecutionStrategy",
    "org/eclipse/jetty/util/thread/strategy/EatWhatYouKill",
    "org/glassfish/grizzly/threadpool/AbstractThreadPool$Worker",
    "org/glassfish/grizzly/threadpool/FixedThreadPool",
    "org/glassfish/grizzly/threadpool/SyncThreadPool",
    "reactor/netty/channel/FluxReceive",
    "reactor/netty/http/client/HttpClientConnect$HttpIOHandlerObserver",
    "reactor/netty/http/client/HttpClientConnect$HttpObserver",
    "reactor/netty/http/client/HttpClientConnect$MonoHttpConnect$ClientTransportSubscriber"};
#define COUNT(names) (sizeof(names) / sizeof *(names))

static bool is_one_of(const char *const *names, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

bool ch_is_support(jobject loader, const char *name) {
    return loader ? is_one_of(of_libraries, COUNT(of_libraries), name)
                  : !strncmp(name, "java/", 5) && is_one_of(of_jdk, COUNT(of_jdk), name);
}

static bool follows_stacks(void) { return (ch_wanted.time || ch_wanted.contexts) && ch_stacks_travel; }

bool ch_is_wanted_support(jobject loader, const char *name) {
    return (ch_wanted.contexts && ch_is_support(loader, name)) ||
           (!loader && follows_stacks() && !strcmp(name, "java/lang/VirtualThread"));
}

uint32_t ch_wanted_support(void) { return (follows_stacks() ? 1 : 0) | (ch_wanted.contexts ? 2 : 0); }

void ch_support_was(uint32_t before) {
    ch_support_changes = before != ch_wanted_support();
    ch_store_release(&ch_support_first, (ch_wanted_support() & ~before) != 0);
}

bool ch_may_match(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, struct ch_pool *pool,
                  bool *in_jdk) {
    if (!loader && ch_is_wanted_support(loader, name)) return *in_jdk = true;
    return ch_filter_match(env, loader, name, supertypes, pool, in_jdk) ||
           (loader && ch_is_wanted_support(loader, name));
}
