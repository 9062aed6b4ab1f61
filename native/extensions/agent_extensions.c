/* The list of extensions with a part in the agent: each a folder here, which may be missing. */
#include "agent_extension.h"
#if __has_include("hprof/hprof_files.h")
#include "hprof/hprof_files.h"
#define HPROF &ch_hprof,
#else
#define HPROF
#endif

const struct ch_agent_extension *const ch_agent_extensions[] = {HPROF NULL};
