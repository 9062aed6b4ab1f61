/* The embedding library's interface to the agent; the two share no other symbol. */
#ifndef CLASSHOOK_EMBED_H
#define CLASSHOOK_EMBED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The result of weaving a class. */
enum ch_status {
    CH_LEFT = 0,
    CH_WOVEN = 1,
    CH_SKIPPED = 2,
    CH_SUPPORT = 3 /* woven for the agent, not for a rule */,
    CH_SUPERTYPES = 4 /* cache only: names, see supertypes.c */
};

struct ch_woven {
    int status; /* enum ch_status */
    void *memory;         /* malloc'ed block that holds bytes and meta; NULL: they are malloc'ed separately */
    unsigned char *bytes;
    uint32_t length;
    uint32_t slots;                 /* taken by its probes */
    uint32_t integers,
        integers_at; /* number of constants that number the probes, and offset of the first one's value */
    char *meta;
    uint32_t meta_bytes;
    int lasting; /* the same class would give the same result again, so it may be cached */
};

/* The facts of a class besides its bytes. */
struct ch_about {
    int in_jdk;
    const char *supertypes; /* names of supertypes, each ended by a zero: all that some pattern with a `+` matches */
    uint32_t supertypes_bytes;
    const char *source; /* path of the jar or directory that it comes from, if rules ask for it; NULL: unknown */
};

struct ch_hub;
struct ch_bridge; /* events/bridge.h */

struct ch_embed {
    int (*load)(const char *rules, size_t bytes, uint64_t timeout_ms); /* compiled rules; 1 if they can be used */
    /* 0: success */
    int (*weave)(const char *name, const unsigned char *data, uint32_t bytes, const struct ch_about *about,
                 struct ch_woven *out);
    /* Each returns a malloc'ed text; or NULL and the reason in `why`, malloc'ed, too, or NULL if there is no memory. */
    /* text of rules -> compiled rules */
    char *(*compile)(const char *path, const char *text, size_t bytes, char **why);
    /* compiled rules -> those without this one */
    char *(*without)(const char *rule, const char *rules, size_t bytes, char **why);
    /* what is to be done with scripts, in the first line, and with which -> the rules with their own, or other text */
    char *(*scripts)(const struct ch_hub *hub, const char *request, const char *rules, size_t bytes, char **why);
    /* `about`: the name of an extension, a blank, and what its module `inside_jvm` is asked */
    char *(*ask)(const char *about, const char *text, size_t bytes, char **why);
    const struct ch_bridge *events;
};

/* Starts Python unless it is already running; false and a reason in `error` if it cannot. */
typedef bool ch_embed_open(struct ch_embed *out, const char *pythonpath, char *error, size_t room);
#endif
