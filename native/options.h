/* The agent's options: rules=FILE,data=DIR,... with %XX for a character that would end a value. */
#ifndef CLASSHOOK_OPTIONS_H
#define CLASSHOOK_OPTIONS_H
#include "base/base.h"

struct ch_options {
    char *rules, *data, *cache, *pythonpath, *libpython;
    uint64_t timeout_ms;
};
bool ch_options_parse(const char *text, struct ch_options *out);
#endif
