/* The lowest layer: the JVM's environment, the data file, clocks, hashes. It knows nothing about counters or
 * classes. */
#ifndef CLASSHOOK_BASE_H
#define CLASSHOOK_BASE_H
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "../classhook.h"
#include "error.h"
#include "jvm.h"
#include "sync.h"
#include "table.h"

#define CH_TRACKER "java/lang/ClasshookTracker"
#define CH_MOST_SLOTS ((size_t)1 << 23)
#define CH_LEAST_SLOTS ((size_t)1 << 17)

/* The first JDK with virtual threads and carriers. From it on, fields of platform threads are in a separate object,
 * Thread.holder. */
#define CH_CARRIERS 19

/* Locks, from outermost to innermost: a thread that holds one takes only those listed below it.
 * tests/unit/native/test_lock_order.py compares the list with the code.
 *
 * Turns: one thread at a time does the whole of something. Python runs and the JVM retransforms classes meanwhile; who
 * must not wait for ever tries the first two, or waits with a limit.
 *     attaching, detaching, exchanging rules (live/session.c)
 *     exchanging scripts of handlers (events/lifecycle.c)
 *     writing a file of HPROF's (extensions/hprof/hprof_files.c)
 *
 * All others: none of them is held while a loader is asked, Python runs or the JVM retransforms classes, except while
 * Python starts.
 *     Python's start, and its rules (weaver/python.c)
 *     the rules in force, while a class gets its counters (classes/active_rules.c)
 *     loaders and the classes that wait for them (classes/class_loaders.c)
 *     classes that are alike (classes/shared_descriptions.c)
 *     the shared block's records (timing/timing_records.c)
 *     moving what a block counted, or copying the file (base/compacted_file.c)
 *     the control socket's thread (live/control_socket.c), that of classes which wait for loops
 *       (live/postponed_changes.c), events that are on (events/jvm_events.c): none within another; the JVM is called
 *       with them held
 *     the takers of samples (objects/allocation_samples.c): the JVM is called with it held
 *     what refers to an object (embedded/referrers.c): the JVM is called with it held
 *     watched static fields (embedded/static_state.c): the JVM is called with it held, and records are written
 *     classes that get a weak reference (events/class_unloads.c): the JVM is called with it held; a thread waits 2 ms
 *       for it, then goes on without
 *     in which region a method counts (timing/regions.c)
 *     what rules ask for at a method's slot (watch/rule_specs.c), and its handlers (events/probe_sites.c): none within
 *       another
 *     open intervals (watch/intervals.c): the JVM is called with it held
 *     the raw monitor (base/jvm.c), which is reentrant: the registry of blocks, the slot numbers, the metadata
 *
 * Innermost: no other lock is taken while one of these is held, and the JVM is not called.
 *     of classes: copies (classes/class_copies.c), what the hook did of each (classes/class_states.c), those that are
 *       pending (classes/pending_classes.c), expected supertypes (classes/supertypes.c), sets of names
 *       (classes/name_sets.c), messages about classes (classes/skipped_classes.c)
 *     of files: the pack (weaver/pack.c), originals (weaver/original_files.c)
 *     of stacks: spare ones to run Python on (base/python_stacks.c), those of unmounted virtual threads
 *       (timing/shadow_stacks.c)
 *     of counting: contexts (contexts/known_contexts.c), those of unmounted virtual threads (contexts/attribution.c),
 *       their blocks (contexts/context_blocks.c), the end of the sampler (sampling/cpu_sampler.c), the code that the JVM
 *       made (sampling/code_map.c), threads whose CPU time ticks (sampling/cpu_ticks.c: lock), the signal of that
 *       (sampling/cpu_ticks.c: taking)
 *     single moments (moments/moments.c), the JVM's counters (moments/heap_figures.c): also taken while all threads of
 *       the program stand still
 *     of rows: monitors (locks/contention.c), deadlocks that are known (locks/deadlocks.c), names and stacks of both
 *       (locks/stack_traces.c), objects (objects/sampled_objects.c), weak references (objects/weak_references.c)
 *     of watched calls: the slowest (watch/watched_calls.c), their records (watch/watch_records.c)
 *     of handlers: which there are (events/handlers.c), their thread (events/agent_thread.c), queues
 *       (events/event_queues.c), stacks (events/event_stacks.c), names (events/name_numbers.c),
 *       classes that they change (events/class_transforms.c)
 *     files that were opened (events/opened_files.c), and who opens them (events/openers.c)
 *     dumps of threads (live/thread_dumps.c)
 *     in the embedding library, of extensions/jvmpi/: methods (extensions/jvmpi/method_ids.c), code
 *       (extensions/jvmpi/compiled_code.c), objects (extensions/jvmpi/object_ids.c), native methods
 *       (extensions/jvmpi/native_methods.c), one of each monitor (extensions/jvmpi/raw_monitors.c)
 */

/* ---- store.c: the data file */
struct ch_region {
    uint8_t *base;
    size_t bytes;
    uint64_t offset; /* in the file */
    uint32_t file; /* 1 and its number; 0: none, it is memory of the process */
};
extern struct ch_room {
    size_t slots, records_bytes, meta_bytes; /* sizes of regions, chosen to fit the address space */
    uint64_t limit; /* limit of the address space; 0: none */
} ch_room;
extern struct ch_header *ch_header;
/* `tmpfs`: if there is one, the file may lie there, with a link to it. */
bool ch_store_open(const char *dir, bool tmpfs, struct ch_error *error);
/* Opens a region of zeros. Lock held, except at startup. `expected`: bytes that all such regions may take. False: no
 * address space. */
bool ch_region_open(struct ch_region *r, enum ch_kind kind, uint32_t block, size_t bytes, uint64_t expected);
bool ch_region_memory(struct ch_region *r, size_t bytes); /* a region without a file */
/* The next part of [from, end) that may have been written to, in whole pages; false: there is none. To read other pages
 * would allocate them. */
bool ch_region_data(const struct ch_region *r, size_t from, size_t end, size_t *begin, size_t *stop);
uint64_t ch_store_taken(void); /* bytes that the files take */
/* a file, to this size; false and EFBIG: if it grew larger, the kernel would send SIGXFSZ */
bool ch_may_grow(uint64_t bytes);
bool ch_write(int to, uint64_t at, const void *from, size_t bytes); /* all of it; false and errno */
static inline bool ch_same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}
void ch_store_end(enum ch_end how);
void ch_files_note(void); /* the data file's place, in the header */
void ch_store_discard(void); /* removes the data file: nothing will be counted */

/* ---- file_names.c: where the process's files lie */
/* false and errno: it cannot be made, or belongs neither to this user nor to root */
bool ch_make_dirs(const char *dir, unsigned mode);
extern struct ch_files {
    int fds[2]; /* numbered as in ch_entry.file: the live file, and the second one */
    char path[4096 + 256]; /* of the session's data file */
    char live[4096 + 256 + 48]; /* of the live file */
    char more[4096 + 256 + 48]; /* of the second one; empty: there is none */
    bool tmpfs; /* the live file is on tmpfs, and the data file is a link to it */
    struct stat opened[2]; /* the files as they were opened: the program may close descriptors that it does not know */
} ch_files;
void ch_files_opened(int which); /* descriptor `which` is that of the file from now on */
bool ch_file_is_open(int which); /* opens it again if it is not; false and errno: it cannot */
bool ch_files_are_open(void);
bool ch_files_choose(const char *dir, int64_t unix_ns); /* the path of a session's data file; false: ch_files_why() */
const char *ch_files_why(void);
/* the name in /dev/shm of the session's data file, and this behind it */
void ch_files_on_tmpfs(char *to, size_t room, const char *ending);
const char *ch_store_path(void); /* of the data file */

/* ---- session_files.c: the data file of each session */
void ch_session_file_first(void); /* the first session has begun, in a JVM that ran */
bool ch_session_file_begin(const char *dir, const char *run, struct ch_error *error); /* one more session */
void ch_session_file_discard(void); /* it counted nothing */
/* the data file becomes a file of its own; false: it stays where it is */
bool ch_session_file_end(struct ch_error *error);
void ch_session_files_at_exit(void); /* at the JVM's death: ... when its process exits, too */

/* ---- compacted_file.c: the live file as a file without holes */
/* a new file; `baseline`: a file that it has in it, or -1. False: errno */
bool ch_compact(const char *path, int baseline);
/* Counts may move within the live file, but not while it is copied. False: not now. */
bool ch_move_begin(void);
void ch_move_end(void);

/* ---- disk_full_guard.c: pages that the disk has no room for */
/* `refused`: their count; `command`: the JVM's */
void ch_guard_start(uint32_t *refused, const char *command, size_t bytes);
bool ch_guard(void *base, size_t bytes); /* guards a mapping of the data file; false: no memory */
void ch_guard_say(const char *why); /* prints a message, once */
void ch_no_memory(void); /* something will be missing from the report; prints that, once */

/* ---- bundle.c: a library that `classhook bundle` has put before a jar */
bool ch_is_bundle(void);
char *ch_bundle_rules(size_t *bytes, struct ch_error *error); /* its compiled rules, malloc'ed, or NULL */

/* ---- process_threads.c: all threads of the process */
enum { CH_KERNEL_NAME = 32 /* bytes: more than the kernel keeps of a name, which are 15 */ };
/* Calls this with the threads' numbers in the kernel until it returns false. */
void ch_each_thread(bool (*each)(uint32_t tid, void *with), void *with);
void ch_thread_kernel_name(uint32_t tid, char name[CH_KERNEL_NAME]); /* empty: the thread has ended */

/* ---- program_name.c: which program runs */
/* `command`: main class or jar, and arguments, as in the property sun.java.command */
void ch_program(const char *command, char *to, size_t room);

/* ---- metadata.c: descriptions of classes */
bool ch_meta_start(void);
/* takes the lock; NULL: no room */
struct ch_meta *ch_meta_add(enum ch_meta_kind kind, uint32_t first_slot, uint32_t slots, const void *text,
                            size_t bytes);
void ch_meta_void(struct ch_meta *m);
/* the description of the woven class that has this slot, NULL if unknown; it stays as it is */
const struct ch_meta *ch_meta_of(uint32_t slot);

/* ---- clock.c */
void ch_clock_start(void);
void ch_clock_mark(void); /* reads both clocks again, for the report's conversion of ticks */
uint64_t ch_monotonic_ns(void);
uint64_t ch_thread_cpu_ns(void); /* used by this thread */
uint64_t ch_clock_ticks_of(uint64_t time); /* ns to ticks, or ps to thousandths of a tick */

/* ---- hash.c */
struct ch_key {
    uint64_t high, low;
};
/* keyed by the secret, against constructed collisions */
struct ch_key ch_hash(struct ch_key seed, const void *data, size_t bytes);
/* by one that stays the same in this process: for tables in memory */
struct ch_key ch_hash_own(struct ch_key seed, const void *data, size_t bytes);
struct ch_key ch_hash_unkeyed(struct ch_key seed, const void *data, size_t bytes);
uint64_t ch_checksum(struct ch_key seed, const void *data, size_t bytes);
struct ch_key ch_random_key(void);
/* quick, not secret; the state must not be 0, n less than 2^32 */
uint64_t ch_random_below(uint64_t *state, uint64_t n);
void ch_hash_start(void); /* before the first class is hashed: draws both keys; later, another secret */
void ch_hash_use(struct ch_key secret); /* that of the pack of woven classes */
static inline bool ch_same_key(struct ch_key a, struct ch_key b) { return a.high == b.high && a.low == b.low; }

/* Tables by such a hash: its 128 bits stand for what was hashed. Their entries begin with this struct. */
struct ch_keyed {
    uint32_t hash;
    struct ch_key key;
};
static inline bool ch_is_keyed(const void *entry, const void *key) {
    return ch_same_key(((const struct ch_keyed *)entry)->key, *(const struct ch_key *)key);
}
#define ch_table_find_key(t, wanted) ch_table_find(t, (uint32_t)(wanted)->low, ch_is_keyed, wanted)
#define ch_table_add_key(t, ...) \
    ch_table_add(t, (uint32_t)((const struct ch_keyed *)(__VA_ARGS__))->key.low, __VA_ARGS__)

/* A set of keys. */
typedef CH_TABLE(struct ch_keyed) ch_keys;
bool ch_keys_add(ch_keys *set, struct ch_key key); /* false: it is there, or there is no memory */
#endif
