/* Compiled rules: the lines that the agent reads, as typed fields. rules/compiled.py writes them; this is their only
 * reader in C. */
#ifndef CLASSHOOK_RULES_TEXT_H
#define CLASSHOOK_RULES_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ch_rules_kind {
    CH_RULES_HEAD, /* also lines of any other kind */
    CH_RULES_FILTER,
    CH_RULES_CHANGED,
    CH_RULES_SUPERTYPE,
    CH_RULES_SAMPLER,
    CH_RULES_RULE,
    CH_RULES_TARGET,
    CH_RULES_EXCEPT,
    CH_RULES_TYPE,
    CH_RULES_CALLED,
    CH_RULES_SOURCE,
    CH_RULES_PAUSED,
    CH_RULES_END,
    CH_RULES_KINDS
};

/* The needs of rules that the agent serves. */
struct ch_rules_needs {
    bool time, cover, watch, context;
};

/* Samplers. No frames: no rule asks for it. */
struct ch_cpu_sampler {
    uint64_t period_us;
    uint32_t frames;
    bool lines, threads; /* a method's frames are told apart by lines, stacks by threads */
};
struct ch_locks_sampler {
    uint64_t over_us; /* shorter events are only added up */
    uint32_t frames;
    bool parks; /* also threads that park */
    bool threads; /* these are told apart */
};
struct ch_objects_sampler {
    uint64_t every_bytes; /* between two samples, in the mean; 0: each object */
    uint32_t frames;
    bool live; /* what lives on is wanted, too */
    bool threads; /* those that allocate are told apart */
};
struct ch_trees {
    bool threads; /* each has an exact tree of calls of its own */
};
struct ch_tests {
    bool contexts; /* scripts begin and end contexts by name */
};
struct ch_labels {
    bool threads; /* they are told apart by name, in all measures */
};
struct ch_samplers { /* a table in rules_text.c reads each; ch_filter_use gives each to its owner */
    struct ch_cpu_sampler cpu;
    struct ch_locks_sampler locks;
    struct ch_objects_sampler objects;
    struct ch_trees trees;
    struct ch_tests tests;
    struct ch_labels labels;
};

struct ch_rules_line {
    enum ch_rules_kind kind;
    union {
        struct ch_rules_filter { /* CH_RULES_FILTER, CH_RULES_CHANGED: a class pattern */
            struct ch_rules_needs needs;
            bool subtypes, only_jdk, not_jdk, renamed;
            char *include;
            /* ch_rules_field: globs of classes left out; behind an `@` of sources, behind a `=` of required names */
            char *further;
        } filter;
        struct { /* CH_RULES_SUPERTYPE */
            bool weaves, reports; /* what it decides */
            char *glob;
        } supertype;
    };
};

struct ch_rules_text {
    char *rest;
    bool damaged; /* then there are no more lines */
    struct ch_samplers samplers; /* those of the lines so far: what all rules want */
    unsigned asked; /* rules_text.c's: which samplers these are */
};
struct ch_rules_text ch_rules_text_of(char *text); /* which is cut in place; texts of lines point into it */
bool ch_rules_next(struct ch_rules_text *t, struct ch_rules_line *out);
char *ch_rules_field(char **further); /* the next field; NULL: there are no more */

/* The kind of the line at `at`, which ends before `end`. */
enum ch_rules_kind ch_rules_kind_of(const char *at, const char *end);
/* True if a rule is in force. rule: its text, as it is written there. */
bool ch_rules_have(const char *text, const char *rule);
#endif
