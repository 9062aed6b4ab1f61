/* The CPU time of the whole process while a sampler runs. Reports subtract the sampled time and name the rest. */
#include "sampling.h"
#include <sys/resource.h>

static uint64_t ns_of(struct timeval t) { return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000; }

void ch_process_time_begin(struct ch_process_time *since) {
    struct rusage used = {0};
    getrusage(RUSAGE_SELF, &used);
    since->system_ns = ns_of(used.ru_stime);
    since->cpu_ns = since->system_ns + ns_of(used.ru_utime);
}

void ch_process_time_add(const struct ch_calls *calls, struct ch_process_time *since) {
    struct ch_process_time before = *since;
    struct ch_tree *tree = ch_calls_tree(calls);
    ch_process_time_begin(since);
    tree->process_cpu_ns += since->cpu_ns - before.cpu_ns;
    tree->system_cpu_ns += since->system_ns - before.system_ns;
}
