/* The layer below all others: the JVM's environment, the data file, clocks, hashes. It knows nothing of counters or classes. */
#ifndef CLASSHOOK_BASE_H
#define CLASSHOOK_BASE_H
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../classhook.h"

#define CH_TRACKER "java/lang/ClasshookTracker"
#define CH_MOST_SLOTS ((size_t)1 << 23)
#define CH_LEAST_SLOTS ((size_t)1 << 17)

/* From this release of the JDK on, there are carriers of virtual threads, and a platform thread's own fields are in an object of theirs. */
#define CH_CARRIERS 19

/* ---- jvm.c: the one environment, and how we speak to the user */
extern jvmtiEnv *ch_jvmti;
extern JavaVM *ch_vm;
extern int ch_jvm_version; /* feature release: 17, 21, 25 */
bool ch_jvm_start(JavaVM *vm); /* false: this JVM cannot be instrumented, which has been said */
bool ch_jvm_prepare(JNIEnv *env); /* at VMStart, when FindClass does not go to a loader of the program's yet */
void ch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool ch_ok(jvmtiError error, const char *what); /* says what failed; true if nothing did */
void ch_lock(void);                             /* the raw monitor, see below */
void ch_unlock(void);
void ch_jvm_property(const char *name, char *to, size_t room); /* leaves `to` as it is where there is none */
jclass ch_boot_class(JNIEnv *env, const char *name); /* of the boot loader, by its name with dots; NULL where there is none */
/* By the JVM's own native, so that nothing runs through woven code but what the loader does itself. NULL and an exception where there is
 * none. `caller`: a class that asks, or NULL. */
jclass ch_class_for_name_of(JNIEnv *env, jstring name, jobject loader, jclass caller);
static inline jclass ch_class_for_name(JNIEnv *env, jstring name, jobject loader) { return ch_class_for_name_of(env, name, loader, NULL); }

/* Locks, from the outermost to the innermost; who holds one takes only such as stand below it. While a loader is asked, Python runs or the
 * JVM retransforms, none is held, but for Python's start.
 *
 *     Python's start (classes/python.c)
 *     loaders and the classes that wait for them (classes/loaders.c)
 *     what earlier runs found (classes/earlier_runs.c)
 *     copies (classes/copies.c), the pack (classes/pack.c): neither within the other
 *     the shared block's records (counting/timing.c)
 *     the raw monitor, which a thread may enter again: the registry of blocks, the numbers of slots, the descriptions of classes
 *     the stacks that are put aside (counting/stacks.c); the spare stacks to run Python on (classes/python.c)
 */

/* ---- store.c: the data file */
struct ch_region {
    uint8_t *base;
    size_t bytes;
};
extern struct ch_room {
    size_t slots, records_bytes, meta_bytes; /* of one block, or of all: how large regions are, by the address space there is */
    uint64_t limit;                          /* of the address space; 0: none */
} ch_room;
extern struct ch_header *ch_header;
bool ch_make_dirs(const char *dir, unsigned mode); /* false and errno: it cannot be had, or is not ours or root's */
bool ch_store_open(const char *dir);
/* A region of zeros. Lock held, but at the start. `expected`: bytes that all such regions may take. False: no address space. */
bool ch_region_open(struct ch_region *r, enum ch_kind kind, uint32_t block, size_t bytes, uint64_t expected);
bool ch_region_memory(struct ch_region *r, size_t bytes); /* one that is on no file */
void ch_store_end(enum ch_end how);
void ch_store_discard(void); /* nothing will be counted */

/* ---- guard.c: pages that find no room */
void ch_guard_start(uint32_t *refused, const char *command, size_t bytes); /* counts in `refused`; the JVM's command line */
void ch_guard(void *base, size_t bytes); /* a mapping of the data file */
void ch_guard_say(const char *why);      /* once */

/* ---- metadata.c: what is said of classes */
bool ch_meta_start(void);
void ch_meta_add(enum ch_meta_kind kind, uint32_t first_slot, uint32_t slots, const void *text, size_t bytes); /* takes the lock */
bool ch_meta_has_foreign_objects(const char *table, size_t bytes); /* a site allocates objects of a class that is not the platform's */
char *ch_meta_type_of(uint32_t slot); /* the type allocated at that site, with dots; malloc'ed, NULL if unknown */

/* ---- clock.c */
void ch_clock_start(void);
void ch_clock_mark(void); /* reads both clocks again, for the report's conversion of ticks */
uint64_t ch_monotonic_ns(void);
uint64_t ch_thread_cpu_ns(void); /* used by this thread */
uint64_t ch_clock_ticks_of(uint64_t time); /* of ns, or in thousandths of ps */

/* ---- hash.c */
struct ch_key {
    uint64_t high, low;
};
struct ch_key ch_hash(struct ch_key seed, const void *data, size_t bytes); /* by the secret, so that nobody can aim at one */
struct ch_key ch_hash_unkeyed(struct ch_key seed, const void *data, size_t bytes);
uint64_t ch_checksum(struct ch_key seed, const void *data, size_t bytes);
struct ch_key ch_random_key(void);
void ch_hash_use(struct ch_key secret); /* before the first class is hashed */
bool ch_same_key(struct ch_key a, struct ch_key b);
#endif
