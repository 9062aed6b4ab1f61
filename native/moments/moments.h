/* Single events that have a time of their own, and how long the program stands still for the garbage collector. */
#ifndef CLASSHOOK_MOMENTS_H
#define CLASSHOOK_MOMENTS_H
#include "../measure/measure.h"

/* ---- moments.c: single events that have a time, for timelines: of each kind the longest */
extern const struct ch_measure ch_measure_moments;
void ch_moment_table_open(void); /* before the first of them; there are none if there is no room */
bool ch_moment_lasts(enum ch_moment_kind kind, uint64_t took_ns); /* false: it is too short to be kept */
/* about, more: struct ch_moment */
void ch_moment_add(enum ch_moment_kind kind, uint64_t began_ns, uint64_t took_ns, uint32_t about, uint32_t more);
uint32_t ch_moment_cause(const char *text); /* its number; 0: there is none, or no room */

/* ---- heap_figures.c: of the heap, at the end of a collection */
void ch_heap_figures_find(void); /* before the first collection that is of interest */
void ch_heap_figures(uint64_t *used, uint64_t *total); /* bytes; anywhere; 0: the JVM does not say it */
const char *ch_collection_cause(void); /* at the end of a pause: why there was one; NULL: unknown */
/* ... and whether these figures are of its end: those of other collectors are older */
bool ch_collects_in_pauses(void);

/* ---- gc_pauses.c: how long the program stands still for the garbage collector */
extern const struct ch_measure ch_measure_pauses; /* a JVM that does not tell of pauses has none */
#define CH_PAUSE_EVENTS(EVENT) \
    EVENT(GARBAGE_COLLECTION_START, GarbageCollectionStart, ch_pause_begins, LATER) \
    EVENT(GARBAGE_COLLECTION_FINISH, GarbageCollectionFinish, ch_pause_ends, LATER)
void JNICALL ch_pause_begins(jvmtiEnv *jvmti);
void JNICALL ch_pause_ends(jvmtiEnv *jvmti);
#endif
