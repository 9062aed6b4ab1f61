/* The layout of a data file: what the agent writes and the report reads.
 *
 * A data file holds regions. A region is a range of the file with holes: what was never touched takes no room. The directory says where each
 * region lies, or each piece of one, where the file was put together again with the holes left out (instrument/data/compact.py). Some
 * may lie in a second file beside the first, with `.more` behind its name. The directory begins in the header; its entry of kind CH_DIRECTORY,
 * when there is one, says where it goes on. The writer fills an entry first and then counts it in header.entries, so a reader may
 * look at any moment.
 *
 * Counters of one thread form a block: a region of slots and a region of records. Block 0 is shared by those who have none.
 *
 * This file is read by the C compiler and, without its preprocessor lines, by cffi: plain structs, enums and integers only.
 * All integers are in the machine's order.
 */
#ifndef CLASSHOOK_H
#define CLASSHOOK_H
#include <stdint.h>

enum {
    CH_FORMAT = 3,
    CH_CHUNK = 65536,      /* regions, as the agent makes them, begin at multiples of this, the largest page of the supported machines */
    CH_ENTRIES = 1024,     /* of one part of the directory */
    CH_UNNUMBERED = 0x7FFF0000, /* the number of a woven class's first probe until the agent numbers them: see threads.c */
    CH_OCTAVES = 48,       /* the longest activation told apart takes 2^52 ticks: weeks */
    CH_OCTAVE_STEPS = 32,  /* linear steps in an octave: a value in the middle of one is off by 1/64 at most */
    CH_UNIT = 64           /* records and octaves begin at multiples of this in their region */
};

/* How the process ended. CH_RUNNING with nobody holding the file's lock means killed. */
enum ch_end { CH_RUNNING = 0, CH_EXIT = 1, CH_HALT = 2 };

/* The unit of times in records. */
enum ch_clock { CH_CLOCK_NS = 0, CH_CLOCK_TICKS = 1 };

enum ch_kind { CH_FREE = 0, CH_DIRECTORY = 1, CH_META = 2, CH_SLOTS = 3, CH_RECORDS = 4, CH_CONTROLS = 5, CH_TREE = 6 };

/* A control, one uint32_t for each slot in the region of controls: how often a paced method is timed. 0: its slot is no paced one. */
enum {
    CH_SAMPLE_MASK = 0xFFFFF, /* one activation of so many ... */
    CH_COUNTED = 0xFFFFF,     /* ... or none any more */
    CH_BUDGET_SHIFT = 20,     /* then ten bits: per mille of CPU time; 0: any */
    CH_BUDGET_MASK = 0x3FF,
    CH_EARLIER = 0x40000000   /* an earlier run found the method too short for its budget; the bit above is pacing.c's */
};

/* What the slots of a probe hold, from its first one on, by measure (instrument/measures); ..._SLOTS is how many there are. */
enum ch_slot {
    CH_COUNT_CALLS = 0, CH_COUNT_SLOTS = 1,
    CH_TIME_RECORD = 0, CH_TIME_SLOTS = 1, /* the record's position in the block's records */
    CH_PACED_RECORD = 0, CH_PACED_CALLS = 1, CH_PACED_NEXT = 2, CH_PACED_SLOTS = 3, /* next: how many calls have to be counted before one is timed */
    CH_PROFILE_CALLS = 0, CH_PROFILE_THROWN = 1, CH_PROFILE_SLOTS = 2,
    CH_ALLOC_COUNT = 0, CH_ALLOC_BYTES = 1, CH_ALLOC_SLOTS = 2,
    CH_ALLOC_SIZE = 1 /* of an object, in place of bytes; in the shared block only */
};

/* The path: what profiled methods run in a thread, by their first slots, the one called last at depth - 1. A ring: of more than CH_PATH_FRAMES
 * the deepest are known. It lies behind a block's slots, and is no part of the data. */
enum { CH_PATH_FRAMES = 4096, CH_PATH_AT = 64 /* bytes from the path's begin to its first frame */ };

/* Metadata: the text of a record is the Python side's business, the agent only stores it. */
enum ch_meta_kind {
    CH_META_RULES = 1, /* the compiled rules */
    CH_META_CLASS = 2, /* a woven class and its probes; first_slot is where their slots begin */
    CH_META_SKIP = 3,  /* a class left as it was, and why */
    CH_META_NOTE = 4,  /* a line for the report's reader */
    CH_META_NAMES = 5  /* internal names of the loaded classes, a line each: only where a rule matched none of them */
};

struct ch_entry {
    uint16_t kind; /* enum ch_kind */
    uint16_t file; /* 0: this one, 1: the second */
    uint32_t block;
    uint64_t offset; /* in the file */
    uint64_t bytes;
    uint64_t first; /* position in the region of the first byte */
};

struct ch_header {
    char magic[8]; /* "CLSHOOK\n" */
    uint32_t format;
    uint32_t header_bytes;
    uint32_t pid;
    uint32_t how_ended; /* enum ch_end */
    int64_t start_unix_ns;
    uint32_t clock;   /* enum ch_clock */
    uint32_t refused; /* pages or regions that the disk had no room for: what they hold lives in memory of the JVM and ends with it */
    uint64_t first_ticks, first_ns; /* the clock, read beside CLOCK_MONOTONIC at the start ... */
    uint64_t last_ticks, last_ns;   /* ... and lately */
    uint64_t seen, matched, woven, cached; /* classes */
    uint64_t weaving_ns;       /* from entry to return of the class file load hook, over the matched classes */
    uint64_t python_ns;        /* to start Python; 0 if it was never started */
    uint64_t time_cost_ps, count_cost_ps; /* of a probe on this machine, measured at the start */
    uint64_t meta_used;        /* bytes of the metadata region */
    uint64_t slots_used;       /* those given to woven classes; a block may have others behind these, of probes that nobody numbered */
    uint64_t entries;          /* of the directory */
    char jvm[64];              /* version of the JVM, UTF-8, NUL-terminated, as are these: */
    char jvm_name[64];
    char command[8192];        /* words separated by NUL, two NULs at the end; cut off where too long */
    struct ch_entry directory[CH_ENTRIES];
};

struct ch_meta {
    uint32_t bytes; /* of the text, which follows; the next record begins at the next multiple of 8 */
    uint32_t kind;  /* enum ch_meta_kind */
    uint32_t first_slot;
    uint32_t slots;
};

/* What one thread measured of one timed method. A slot of a timed method holds its position in the records; nothing
 * lies at position 0.
 * An activation that was one of N counts N times in all but `calls`, `timed`, min and max: those are then estimates. */
struct ch_record {
    uint64_t calls, completed, exceptions;
    uint64_t total, self, min, max; /* by the header's clock; self is signed */
    uint64_t timed;                 /* activations that ended */
    uint64_t active;                /* activations now on the thread's own stack */
    uint32_t octaves[CH_OCTAVES];   /* position / CH_UNIT of CH_OCTAVE_STEPS uint64_t each, 0 for none */
    uint64_t sum;                   /* of the times of all that ended, the agent's own (pacing.c) */
};

/* The tree of calls, by samples: the region of kind CH_TREE begins with this, and then has nodes. */
struct ch_tree {
    uint64_t nodes;     /* that there are */
    uint64_t period_ns; /* between two samples */
    uint64_t samples, torn; /* torn: left out, as the thread changed its path meanwhile */
    uint64_t refused;   /* frames without a node of their own, as there was no room: their time is their callers' */
    uint64_t unseen_cpu_ns; /* of threads that were not seen running */
    uint64_t zero[2];
};

/* A path of calls. Node 0 is the empty path: threads that run no profiled method. */
struct ch_node {
    uint32_t parent; /* which has a smaller number */
    uint32_t slot;   /* of the method called last; of node 0: none */
    uint64_t cpu_ns, wall_ns; /* of the samples that ended there */
    float cpu_squares, wall_squares; /* sums of the squares of their times in us, for standard errors */
};
#endif
