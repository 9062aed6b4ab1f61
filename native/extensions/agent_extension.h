/* An extension as the agent sees it: options of its own, and what it writes while the JVM runs and at its end. */
#ifndef CLASSHOOK_AGENT_EXTENSION_H
#define CLASSHOOK_AGENT_EXTENSION_H
#include "../options.h"

struct ch_agent_extension {
    const char *name; /* the agent's options may be NAME or NAME:TEXT */
    bool (*options)(const char *text, struct ch_options *out, struct ch_error *error);
    void (*start)(const struct ch_options *given); /* the agent has started */
    bool (*wanted)(void); /* the next two do something, also with threads and monitors */
    void (*dump)(void); /* at SIGQUIT: what was measured until now */
    void (*end)(void); /* the data file is complete */
};

/* The existing extensions, and NULL. */
extern const struct ch_agent_extension *const ch_agent_extensions[];
#endif
