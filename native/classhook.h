/* The layout of a data file, which the agent writes and the report reads.
 *
 * A data file holds regions. A region is a sparse range of the file: pages never touched take no room. The directory
 * gives the place of each region or, in a compacted file (instrument/store/compact.py), of each piece of a region.
 * Regions may lie in a second file beside the first, whose name ends in `.more`. The directory begins in the header; an
 * entry of kind CH_DIRECTORY says where it continues. The writer fills an entry before it counts it in header.entries,
 * so a file can be read at any time.
 *
 * The counters of one thread form a block: a region of slots and a region of records. Block 0 is shared by threads
 * without one.
 *
 * This file is read by the C compiler and, without its preprocessor lines, by cffi: plain structs, enums and integers
 * only. All integers are in the machine's order.
 */
#ifndef CLASSHOOK_H
#define CLASSHOOK_H
#include <stdint.h>

enum {
    CH_FORMAT = 19,
    /* of probe tables, which classes woven ahead of time carry, too: docs/reference/probe-table.md */
    CH_PROBE_TABLE_FORMAT = 5,
    /* the agent's regions begin at multiples of this, the largest page size of the supported machines */
    CH_CHUNK = 65536,
    CH_ENTRIES = 1024, /* entries in one part of the directory */
    /* number of a woven class's first probe until the agent numbers its probes: see blocks.c */
    CH_UNNUMBERED = 0x7FFF0000,
    CH_OCTAVES = 48, /* distinguishes activations of up to 2^52 ticks: weeks */
    CH_OCTAVE_STEPS = 32, /* linear steps in an octave: a value in the middle of one is off by 1/64 at most */
    CH_UNIT = 64 /* records and octaves begin at multiples of this within their region */
};

/* The context and thread whose counts a block has. The block may be emptied for others: what it counted is then in a
 * sealed part, and comes back to a block when the same context is entered again. Counts that belong together have a
 * number, their lineage, which never changes: they are in one block, or in one part. `context` and `seq` are written by
 * one store. An odd `seq` says that nothing in the block counts: it is being emptied or filled. A file is right at any
 * moment:
 *     a block counts if its seq is even,
 *     a part counts if its id is not 0, the seq of block `from` is beyond from_seq, and that of block `to` is below
 *     to_seq, or to_seq is 0. */
struct ch_block_key {
    uint32_t context; /* its slot; 0: outside of contexts */
    uint32_t seq;
    uint32_t thread; /* the slot of their name; 0: threads are not told apart */
    uint32_t lineage; /* 0: the block was never emptied */
};

/* The head of a sealed part: behind it are the places and the values of all words of 32 bits that are not 0, first
 * those of slots (the lower halves, then the upper ones; places are the slots' numbers), then those of records (places
 * count words): `low` places, `low` values, and so on. */
struct ch_sealed {
    uint64_t id; /* a later part has a larger one; 0: there is none, or it is being written */
    uint32_t room; /* bytes, with this head: there the next part begins; 0: nothing follows */
    uint32_t context, thread, lineage; /* as the block had them */
    uint32_t from, from_seq; /* the block that it was in, and that block's seq then */
    uint32_t to, to_seq; /* the block to which it went back */
    uint32_t low, high, records; /* words */
    uint32_t records_used; /* of the block's records, in units of CH_UNIT */
    uint32_t zero[2];
};

/* The end of the process. CH_RUNNING while no process holds the file's lock means killed. */
enum ch_end {
    CH_RUNNING = 0,
    CH_EXIT = 1,
    CH_HALT = 2,
    CH_DETACHED = 3 /* the JVM goes on */,
    CH_SNAPSHOT = 4 /* a copy, of a JVM that went on */
};

/* The unit of times in records. */
enum ch_clock { CH_CLOCK_NS = 0, CH_CLOCK_TICKS = 1 };

enum ch_kind {
    CH_FREE = 0,
    CH_DIRECTORY = 1,
    CH_META = 2,
    CH_SLOTS = 3,
    CH_RECORDS = 4,
    CH_CPU_TREE = 7,
    CH_EXACT_TREE = 8,
    CH_COVER = 9, /* a byte for each slot: 1 if it is that of a probe of coverage, and was hit */
    CH_LOCKS = 10,
    CH_TRACES = 11, /* the latter a struct ch_tree, without times: the stacks of locks, watched calls and objects */
    CH_WATCHED = 12,
    CH_OBJECTS = 13,
    CH_BLOCK_KEYS = 15, /* of each block, by its index, a struct ch_block_key */
    /* one behind another: struct ch_sealed, each with its words behind it; several such regions, numbered as blocks
     * are */
    CH_SEALED = 16,
    CH_MOMENTS = 17,
    CH_BASELINE = 14 /* a data file: what earlier sessions of the JVM have counted, which is to be taken off */
};

/* The slots of a probe, counted from its first one, by measure (instrument/measures); ..._SLOTS is their number. */
enum ch_slot {
    CH_COUNT_CALLS = 0,
    CH_COUNT_SLOTS = 1,
    CH_TIME_RECORD = 0,
    CH_TIME_SLOTS = 1, /* the record's position in the block's records */
    CH_PACED_RECORD = 0,
    CH_PACED_CALLS = 1,
    CH_PACED_NEXT = 2,
    CH_PACED_WEIGHT = 3,
    CH_PACED_THROWN = 4,
    CH_PACED_SLOTS = 5, /* next: the
        call count at which one is timed; weight: how many it will stand for */
    CH_KEYED_CALLS = 0,
    CH_KEYED_OTHERS = 1,
    CH_KEYED_SLOTS = 2, /* calls: all of them; others: as the slot of a key, for those without one */
    CH_KEYED_RESUMED = 1, /* from a key's slot on: how often its calls went on, of a probe with ... */
    CH_KEYED_RESUMED_SLOTS = 3,
    CH_VALUE_RECORD = 0,
    CH_VALUE_SLOTS = 1, /* as of CH_TIME_RECORD, but for what is in the record: native/watch/values.c */
    CH_PROFILE_CALLS = 0,
    CH_PROFILE_THROWN = 1,
    CH_PROFILE_SLOTS = 2,
    CH_CONTEXT_REFUSED = 0,
    CH_CONTEXT_SLOTS = 1, /* activations that were not attributed; in the shared block only */
    CH_WATCH_MET = 0,
    CH_WATCH_SLOTS = 1, /* calls that met the entry's condition */
    CH_WHEN_MET = 0,
    CH_WHEN_RECORD = 1,
    CH_WHEN_SLOTS = 2, /* calls that met the condition; their record, as of CH_TIME_RECORD or CH_VALUE_RECORD */
    CH_ALLOC_COUNT = 0,
    CH_ALLOC_BYTES = 1,
    CH_ALLOC_SLOTS = 2,
    CH_ALLOC_SIZE = 1 /* size of one object, instead of bytes; in the shared block only */
};

/* A question of code to the tracker about a field on the way of a condition: the field's number among the steps of a
 * path, the comparison's number in the condition from CH_ASKED_TERM on, and from CH_ASKED_OUTCOMES on a bit for each
 * outcome with which the comparison may hold. */
enum { CH_ASKED_TERM = 4, CH_ASKED_TERMS = 64, CH_ASKED_OUTCOMES = 10, CH_ASKED_PLACE = 1023 };
enum ch_outcome {
    CH_IS_LESS = 0,
    CH_IS_EQUAL = 1,
    CH_IS_GREATER = 2,
    CH_IS_OTHER = 3, /* unequal, and in no order: null, NaN, another text */
    CH_IS_NOTHING = 4, /* nothing that could be compared with this constant */
    CH_IS_UNSURE = 5 /* the agent knows */
};

/* The type of a field's value, for the code that reads it (native/tracker/Fields.java). */
enum ch_place {
    CH_PLACE_UNSURE = 0,
    CH_PLACE_NOTHING = 1, /* objects of the class have no such field */
    CH_PLACE_OBJECT = 2,
    CH_PLACE_STRING = 3,
    CH_PLACE_ARRAY = 4,
    CH_PLACE_WRAPPED = 5, /* an object that is asked in place of this one */
    CH_PLACE_BOOLEAN = 6,
    CH_PLACE_BYTE = 7,
    CH_PLACE_CHAR = 8,
    CH_PLACE_SHORT = 9,
    CH_PLACE_INT = 10,
    CH_PLACE_LONG = 11,
    CH_PLACE_FLOAT = 12,
    CH_PLACE_DOUBLE = 13,
    CH_PLACE_ARRAY_LENGTH = 14,
    CH_PLACE_STRING_LENGTH = 15,
    CH_PLACE_VOLATILE = 16 /* added to one of a field */
};

/* Metadata: the text of a record. The texts of classes are probe tables: docs/reference/probe-table.md. */
enum ch_meta_kind {
    /* the compiled rules; empty: those of the record CH_META_RULES with text whose number, from 1 on, is in
     * first_slot. slots: 1 if they take back the rules before them, as far as they lack them; else 0 */
    CH_META_RULES = 1,
    CH_META_CLASS = 2, /* a woven class and its probes; their slots begin at first_slot */
    CH_META_SKIP = 3, /* a class that is not instrumented, and why */
    CH_META_NOTE = 4, /* a line for the report's reader */
    CH_META_NAMES = 5, /* internal names of the loaded classes, one per line: only if a rule matched no class */
    /* a method of the tree CH_CPU_TREE, by its number (first_slot): class, name, descriptor and source file, between
     * them zero bytes; or a line of it (slots), 0 if unknown or not wanted */
    CH_META_METHOD = 6,
    /* internal names, each ended by a zero byte: a class, and those of itself and its supertypes that `alloc Type+` and
     * `calls Type+::m` name */
    CH_META_SUPERTYPES = 7,
    CH_META_VOID = 8, /* described a class that was then described anew, before any of its code ran */
    /* a frame of the tree CH_TRACES, by its number (first_slot), and its line (slots) as of a method: class, method,
     * descriptor, source file, and "-" if its instruction makes no objects, between them zero bytes */
    CH_META_FRAME = 10,
    /* a name that struct ch_lock or struct ch_objects has, by its number (first_slot): of a class, or of a thread */
    CH_META_TRACE_NAME = 11,
    /* of each of its threads: name, what it waits for, who holds that, and where it is, each ended by a zero byte */
    CH_META_DEADLOCK = 12,
    CH_META_DUMP = 13, /* HotSpot's text of all threads with their monitors, ms after the start (first_slot) */
    /* a context, by name: its slot (first_slot), which counts how often it was entered; and that of the record of its
     * times (slots), which the context's blocks have; 0: it has none */
    CH_META_CONTEXT = 16,
    /* a key, by its slot (first_slot), of the probe that begins at `slots`: the calls before it had the slot, at most;
     * a tab; the key */
    CH_META_KEY = 18,
    /* a test, by its number (first_slot), which begins; again, with its status, when it ends:
     * instrument/model/test_runs.py */
    CH_META_TEST = 17,
    /* a file that was opened to read, looked at or listed, in the context of slot first_slot (0: in none): the numbers
     * of the program's methods that did it, innermost first; its absolute path, with a slash behind it if it was
     * listed. slots: how many methods, times two; odd if only plain input of the JDK is below these. An empty text:
     * others are missing */
    CH_META_OPENED = 20,
    CH_META_OPENER = 21, /* one of these methods, by its number (first_slot), as in `com/acme/Orders.place(I)V` */
    CH_META_LABELS = 22, /* of the run, a line for each: NAME=VALUE */
    /* names of loaded classes, one per line, whose probes count from then on: ms after the session's begin
     * (first_slot) */
    CH_META_PLACED = 23,
    /* the context, by name, of the test that started this JVM, in the JVM of process id first_slot */
    CH_META_STARTED_BY = 24,
    /* in the context of slot first_slot a process was started to which the agent was not passed on; the text is
     * empty */
    CH_META_UNSEEN = 25,
    /* in the context of slot first_slot (0: in none) a process of id slots was started: its program */
    CH_META_STARTED = 27,
    /* a class that was woven, by its internal name: the CRC-32 (first_slot) and size (slots) of its file, with
     * CH_MAY_BE_ALTERED if other agents may have changed it before. Only if contexts are told apart */
    CH_META_CLASS_FILE = 26,
    /* static state that tests may leave, by first_slot: a class whose fields are watched, one of these that has changed,
     * as in com/acme/Orders.open, or that was changed by the initialiser of the class behind a semicolon */
    CH_META_STATE = 28,
    /* a name of threads: its slot (first_slot), which counts the threads that have it */
    CH_META_THREAD_NAME = 19,
    /* a Java thread that began, by its number (first_slot): name and group, each ended by a zero byte */
    CH_META_THREAD = 14,
    CH_META_THREAD_END = 15 /* ... that ended, by its number */
};

enum { CH_STATE_WATCHED, CH_STATE_CHANGED, CH_STATE_LEFT }; /* of CH_META_STATE */
enum { CH_MAY_BE_ALTERED = 0x40000000 };
enum { CH_NATIVE = 0x40000000 /* as a line: of a native method */ };

struct ch_entry {
    uint16_t kind; /* enum ch_kind */
    uint16_t file; /* 0: this file, 1: the second file */
    uint32_t block;
    uint64_t offset; /* in the file */
    uint64_t bytes;
    uint64_t first; /* position of the first byte within the region */
};

struct ch_header {
    char magic[8]; /* "CLSHOOK\n" */
    uint32_t format;
    uint32_t header_bytes;
    uint32_t pid;
    uint32_t how_ended; /* enum ch_end */
    int64_t start_unix_ns;
    uint32_t clock; /* enum ch_clock */
    /* pages or regions that the disk had no room for: their data is in the JVM's memory and is lost with it */
    uint32_t refused;
    uint64_t first_ticks, first_ns; /* the clock and CLOCK_MONOTONIC, read together at the start ... */
    uint64_t last_ticks, last_ns; /* ... and most recently */
    uint64_t seen_ns; /* CLOCK_MONOTONIC when `classhook run` saw the process end; 0 if it did not */
    uint64_t seen, matched, woven, cached; /* classes */
    uint64_t weaving_ns; /* time in the class file load hook, summed over the matched classes */
    uint64_t python_ns; /* time to start Python; 0 if it was never started */
    uint64_t time_cost_ps, count_cost_ps; /* costs of probes on this machine, measured at the start */
    uint64_t meta_used; /* bytes used of the metadata region */
    uint64_t slots_used; /* slots given to woven classes; probes that were never numbered may use slots behind these */
    uint64_t entries; /* number of directory entries */
    char jvm[64]; /* version of the JVM, UTF-8, NUL-terminated, as are these: */
    char jvm_name[64];
    char command[8192]; /* words separated by NUL, two NULs at the end; cut off if too long */
    uint64_t mounts; /* the mount namespace in which `link` is a path: the inode of /proc/self/ns/mnt */
    char link[4352]; /* the data file in the data directory, an absolute path; on tmpfs, the link to this file */
    char program[1024]; /* which program runs: the same words in each of its runs (base/program_name.c) */
    char run[40]; /* of which run the process is one; empty: unknown */
    uint32_t moved; /* 1: no session is on, and what was counted is in data files elsewhere */
    uint32_t zero;
    int64_t
        session_unix_ns; /* when the session began that this file is of, in a JVM that ran; 0: it began with the JVM */
    uint64_t session_ns; /* ... by CLOCK_MONOTONIC */
    uint64_t session_meta; /* bytes of the metadata that there were then */
    struct ch_entry directory[CH_ENTRIES];
};

struct ch_meta {
    uint32_t bytes; /* length of the text, which follows; the next record begins at the next multiple of 8 */
    uint32_t kind; /* enum ch_meta_kind */
    uint32_t first_slot;
    uint32_t slots;
};

/* Sums over n activations, each with its weight w (how many it stands for), total time t and self time s. */
struct ch_spread {
    double n, w, ww, wt, wwt, wwtt, ws, wws, wwss;
};

/* Readings of the time from one probe to the next: how many, their sum, and that of their squares. */
struct ch_gauge {
    double n, sum, squares;
};

/* The time before a method's entry or exit: the usual one, with the cost of probes; and alone, with nothing else in the
 * processor. */
struct ch_stretch {
    struct ch_gauge usual, alone;
};

/* Times of one method in one block. A timed method's slot holds the position of its record; position 0 is never used.
 * Activations that stand for N others are kept apart: a report estimates from them those that were not timed. */
struct ch_record {
    /* All that most activations change, in one cache line. `completed`: the timed activations that ended and stand for
     * themselves only. */
    uint64_t calls, completed;
    uint64_t total, min,
        /* ticks of the header's clock, without the cost of timing; total is signed, and of outermost activations */
        max;
    int32_t inside,
        /* what timing an activation costs, in ticks: within its time, and in its caller's; see timing_overhead.c */
        around;
    uint32_t active; /* 1 while the method is on the thread's own stack */
    uint32_t rarely; /* a mask: how rarely its cost is measured */
    uint64_t left; /* activations that ended without an exit: by an exception that no probe could see */
    uint32_t octaves[CH_OCTAVES]; /* position / CH_UNIT of CH_OCTAVE_STEPS uint64_t each, 0 for none */
    uint32_t parent,
        context; /* where in the exact tree of calls it was entered last; exact_tree.c's, not for the report */
    uint64_t callees; /* of the time of the completed activations, that of the timed methods they called; signed */
    uint64_t probes; /* what the probes of these methods took off them beside; signed */
    uint64_t below; /* timed activations below the outermost ones */
    uint64_t nested,
        nested_ticks; /* of the completed activations, those within another one of the method, and their time */
    uint64_t exceptions;
    struct ch_spread sampled; /* activations that stand for others ... */
    uint64_t sampled_ticks,
        sampled_nested; /* ... their time, not weighted, and those with other calls of the method within or around */
    uint64_t sampled_at; /* depth of the topmost one of them on the thread's own stack, 0: none */
    double callee_squares; /* the variance of self time: timed methods called may stand for others */
    struct ch_stretch before_entry, before_exit; /* timing_overhead.c's */
};

/* Kinds of code that a tick of CPU time falls on. */
enum ch_ran {
    CH_RAN_COMPILED, /* code of the JIT's, and its stubs */
    CH_RAN_INTERPRETED,
    CH_RAN_NATIVE, /* libraries, and threads that are neither Java's nor the JVM's */
    CH_RAN_CLASSES, /* the JVM loads, verifies and links classes */
    CH_RAN_JVM, /* all else that it does */
    CH_RAN_COLLECTOR,
    CH_RAN_COMPILERS,
    CH_RAN_AGENT, /* these threads of its own are in no stack: cpu_ns only */
    CH_RAN_KINDS
};

/* A tree of stacks, by samples: the regions of kinds CH_CPU_TREE and CH_TRACES begin with this, and then have nodes. */
struct ch_tree {
    uint64_t nodes; /* that there are */
    uint64_t period_ns; /* between two samples, as wanted at the end */
    uint64_t samples;
    /* frames without a node of their own, as there was no room: their time is below [deeper] */
    uint64_t refused;
    uint64_t unseen_cpu_ns; /* of threads that were not seen running */
    uint64_t intervals, intervals_ns; /* between two looks at a thread that runs: how many, and their sum */
    /* 0 where threads could not be sampled by ticks of their CPU time */
    uint64_t cpu_ns[CH_RAN_KINDS];
    uint64_t unjoined_cpu_ns; /* in compiled methods that the thread had left when its stack was taken */
    uint64_t process_cpu_ns, system_cpu_ns; /* of the whole process, while it was sampled; in the kernel */
};

/* Nodes of CH_CPU_TREE or CH_TRACES that are no methods, but have stacks below them. What a context's stacks are below
 * has the context's slot and CH_CONTEXT_BIT; where threads are told apart, what a thread's are below, within that, has
 * the thread's number (of a rule `threads`: the slot of its name) and CH_THREAD. */
enum { CH_CONTEXT_BIT = 0x20000000, CH_THREAD = 0x40000000 };

/* A stack. Node 0 is the empty one, above all others. */
struct ch_node {
    uint32_t parent; /* which has a smaller number */
    uint32_t slot; /* the number of its innermost method, or what it is instead; of node 0: none */
    uint64_t cpu_ns, wall_ns; /* of the samples that ended there */
    float cpu_squares, wall_squares; /* sums of the squares of their times in us, for standard errors */
};

/* The exact tree of calls (`time ... tree`): the region of kind CH_EXACT_TREE is an array of nodes, handed out to
 * threads in chunks; the first chunk is this. Each thread has a tree of its own: two nodes that stand for no method,
 * and those of its calls. Threads that had one block, one after the other, share a tree, unless threads are told
 * apart. */
enum {
    CH_EXACT_TREE_CHUNK = 128, /* nodes */
    CH_EXACT_TREE_DEEPEST = 512, /* methods of a path */
    /* as a slot, the empty path; its calls: those without a node of their own, as there was no room */
    CH_ROOT = 0x7FFFFFFF,
    CH_DEEPER = 0x7FFFFFFE /* as a slot: a node whose calls are those that were deeper than the deepest */
};
struct ch_exact_tree_head {
    uint64_t nodes; /* handed out, those of the first chunk included */
    uint64_t refused; /* calls by threads for which there was no root */
    uint64_t treeless; /* how many blocks of counters have none for that reason */
    uint64_t zero[5];
};
struct ch_exact_node {
    /* which has a smaller number; of a root the number of the thread (or the slot of its name), where threads are told
     * apart, else 0 */
    uint32_t parent;
    uint32_t slot; /* of the method called last */
    uint64_t calls;
    int64_t self; /* time of those that ended, by the header's clock; that of calls without a node of their own, too */
    uint32_t last; /* the child that was entered last, 0: none; exact_tree.c's */
    uint16_t last_slot; /* the lower half of its slot */
    uint16_t depth; /* of a root 1, of its children 2; 0: no node yet */
};

/* Monitors: the region of kind CH_LOCKS begins with the head, and then has rows. */
enum ch_lock_kind {
    CH_LOCK_ENTER = 1 /* blocked until it had the monitor */,
    CH_LOCK_WAIT = 2 /* in Object.wait */,
    CH_LOCK_LOCK = 3 /* parked for a lock of java.util.concurrent that another thread had */,
    CH_LOCK_PARK = 4 /* parked for something else */
};
struct ch_lock_head {
    uint64_t rows; /* that there are */
    uint64_t over_ns; /* events that took less are `shorter` */
    /* events that had no row of their own, as there was no room: they are in the row of their kind whose stack is 0 */
    uint64_t refused;
    uint64_t asked, asking_ns; /* how often the JVM was asked who holds a monitor, and how long that took */
    uint64_t zero[3];
};
struct ch_lock {
    uint32_t kind; /* enum ch_lock_kind */
    uint32_t monitor; /* the name of its class */
    uint32_t stack; /* of the thread that was blocked: a node */
    uint32_t holder; /* the name of the thread that held it when that one came; 0: unknown, or no thread held it */
    uint32_t holder_stack; /* a node */
    uint32_t pinned_name; /* of the virtual thread that was pinned there last; 0: none was */
    uint64_t ended, total_ns, max_ns;
    uint64_t shorter, shorter_ns;
    uint64_t timed_out; /* waits that ended by their timeout */
    uint64_t pinned; /* of all that began, those of virtual threads that kept their carrier meanwhile */
    uint64_t pending; /* that have not ended */
    uint64_t pending_began_ns; /* the sum of the times when these began, from the header's first_ns on */
};

/* Moments, single events with a time of their own: the region of kind CH_MOMENTS begins with the head, and then has
 * CH_MOMENTS_MOST rows of each kind: the first ones of these are the longest moments of that kind, in any order; a kind
 * may use fewer. */
enum ch_moment_kind {
    CH_MOMENT_PAUSE = 0 /* of the program, for the garbage collector */,
    CH_MOMENT_ENTER = 1 /* this and the following ones: as of enum ch_lock_kind */,
    CH_MOMENT_WAIT = 2,
    CH_MOMENT_LOCK = 3,
    CH_MOMENT_PARK = 4,
    CH_MOMENT_WEAVING = 5 /* of a class */,
    CH_MOMENT_KINDS = 6
};
enum { CH_MOMENTS_MOST = 10000, CH_CAUSES = 32, CH_CAUSE_BYTES = 48 };
struct ch_moments_of_kind {
    uint64_t count, total_ns; /* of all that there were */
    uint64_t kept; /* rows that there are */
    uint64_t zero;
};
struct ch_moments_head {
    struct ch_moments_of_kind kinds[CH_MOMENT_KINDS];
    char causes[CH_CAUSES][CH_CAUSE_BYTES]; /* of pauses, ended by a zero byte each; empty: no further ones */
};
struct ch_moment {
    uint64_t took_ns; /* 0: it is being written */
    uint64_t began_ns; /* since the header's first_ns */
    uint64_t number; /* among those of its kind, from 1 on */
    /* of a wait: the row of CH_LOCKS; of a weaving: the first slot of the class; of a pause: the number of its cause,
     * from 1 on; 0: unknown */
    uint32_t about;
    uint32_t more; /* of a wait: the name of the thread; of a pause: KB of the heap in use at its end; 0: unknown */
};

/* Watched calls (`watch`): the region of kind CH_WATCHED begins with the head, and then has records, each at a multiple
 * of 8. A record has values behind it: the thread's name, of what was thrown its class and message, and what the rule
 * shows. A value is a byte and what that says. */
struct ch_watched_head {
    uint64_t used; /* bytes, the head's among them */
    uint64_t lost; /* calls for which there was no room */
    uint64_t zero[6];
};
enum { CH_TRACE_ID = 16, CH_SPAN_ID = 8 /* bytes */ };
struct ch_span_ids { /* of OpenTelemetry, in the order of their digits; zeros: there is no span */
    uint8_t trace_id[CH_TRACE_ID], span_id[CH_SPAN_ID];
};
struct ch_watched {
    uint32_t bytes; /* with its values */
    uint32_t slot; /* of the probe */
    uint64_t ended_ns; /* since the header's first_ns */
    uint64_t took_ns;
    uint32_t stack; /* of its callers: a node of CH_TRACES; 0: not asked for */
    uint32_t threw; /* 1: it ended by an exception */
    struct ch_span_ids span; /* that its thread was in when it ended */
};
enum ch_value {
    CH_VALUE_NONE = '?', /* there is no such field, or no room for it */
    CH_VALUE_UNSET = 'u', /* a local variable that has no value there */
    CH_VALUE_NULL = 'n',
    CH_VALUE_MASKED = 'm',
    CH_VALUE_INT = 'i', /* int64_t */
    CH_VALUE_DOUBLE = 'd', /* double */
    CH_VALUE_FLOAT = 'f', /* double */
    CH_VALUE_BOOLEAN = 'z', /* a byte */
    CH_VALUE_CHAR = 'c', /* a UTF-16 unit */
    CH_VALUE_STRING = 's', /* two uint32_t: units that it has, units that follow */
    CH_VALUE_ENUM = 'e', /* as a string: its name */
    CH_VALUE_OBJECT = 'o', /* a uint16_t, and so many bytes: the name of its class */
    CH_VALUE_ARRAY = 'a' /* as an object, then two uint32_t: elements that it has, values that follow */
};

/* Sampled objects: the region of kind CH_OBJECTS begins with the head, and then has rows. An object of s bytes is
 * sampled with the probability p = 1 - exp(-s / every), and stands for 1 / p objects. */
enum ch_known_by { /* how it is known what is live */
                   /* it was not found dead until the last collection of garbage that the JVM needed */
                   CH_LAST_COLLECTION = 0,
                   CH_COLLECTED = 1, /* ... or one that was made for this at the end */
                   CH_REACHED = 2 /* it could be reached at the end */
};
struct ch_object_head {
    uint64_t rows; /* that there are; row 0 is of all that found no row of their own */
    uint64_t every; /* bytes between two samples, in the mean; 0: each object is sampled */
    uint64_t refused; /* objects in row 0 */
    uint64_t keeps; /* 1: what is live is known, 0: it is not */
    uint64_t known_by; /* enum ch_known_by */
    uint64_t zero[3];
};
struct
    ch_estimate { /* sums over sampled objects: 1 / p, s / p, and their variances: (1 - p) / p^2, s^2 (1 - p) / p^2 */
    double objects, bytes, objects_variance, bytes_variance;
};
enum { CH_OF_VALUES = 0x40000000 /* with a type: of value objects, of which nobody knows whether they live */ };
struct ch_objects {
    uint32_t type; /* the name of a class, and whether it is one of value objects */
    uint32_t stack; /* a node */
    uint64_t sampled;
    struct ch_estimate allocated;
    uint64_t kept; /* of the sampled ones, those that no collection of garbage has found dead */
    struct ch_estimate live; /* ... what these stand for */
};
#endif
