/* HPROF's files, which the agent writes while it runs and at its end. */
/* HPROF's options, which stay; `at_end`: no other file is written then */
#ifndef CLASSHOOK_HPROF_FILES_H
#define CLASSHOOK_HPROF_FILES_H
#include <stdbool.h>

void ch_hprof_start(const char *options, bool at_end);
bool ch_hprof_wanted(void);
void ch_hprof_dump(void); /* what was measured until now */
void ch_hprof_end(void);  /* the data file is complete */
#endif
