/* What the embedding library offers the agent; the two share no other symbol. */
#ifndef CLASSHOOK_EMBED_H
#define CLASSHOOK_EMBED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What became of a class. */
enum ch_status { CH_LEFT = 0, CH_WOVEN = 1, CH_SKIPPED = 2, CH_SUPPORT = 3 /* woven for our own ends */, CH_VERDICTS = 4 /* in the cache: no class, but what earlier_runs.c keeps of one */ };

struct ch_woven {
    int status; /* enum ch_status */
    void *memory;         /* malloc'ed, where bytes and meta lie in one; NULL: each of them is */
    unsigned char *bytes;
    uint32_t length;
    uint32_t slots;                 /* taken by its probes */
    uint32_t integers, integers_at; /* constants that number the probes, and where the first one's value begins */
    char *meta;
    uint32_t meta_bytes;
    int lasting; /* the same class would give the same answer again, so it may be kept */
};

struct ch_embed {
    int (*load)(const char *rules, size_t bytes, uint64_t timeout_ms); /* compiled rules; 1 if they can be used */
    /* `counted`: of its paced methods, the n at these places are only counted; 0: done */
    int (*weave)(const char *name, const unsigned char *data, uint32_t bytes, int in_jdk, const uint32_t *counted, uint32_t n,
                 struct ch_woven *out);
    char *(*compile)(const char *path); /* rule text -> compiled rules, malloc'ed; NULL and a message on stderr if wrong */
};

/* Starts Python unless it runs already; false and a reason in `error` if it cannot. */
typedef bool ch_embed_open(struct ch_embed *out, const char *pythonpath, char *error, size_t room);
#endif
