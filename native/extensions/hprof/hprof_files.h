/* HPROF's files, which the agent writes while it runs and at its end. */
#ifndef CLASSHOOK_HPROF_FILES_H
#define CLASSHOOK_HPROF_FILES_H
#include "../agent_extension.h"

extern const struct ch_agent_extension ch_hprof;
#endif
