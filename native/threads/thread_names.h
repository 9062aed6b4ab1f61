/* The names by which threads count: see thread_names.c. */
#ifndef CLASSHOOK_THREAD_NAMES_H
#define CLASSHOOK_THREAD_NAMES_H
#include "threads.h"

struct ch_thread_name {
    uint32_t slot; /* counts the threads that have it; 0: none has it yet */
    uint32_t alike; /* of a pattern: how many names differ from it in their last number only */
    struct ch_block *unused; /* blocks that its threads have left; lock held */
};
/* Gives this thread its name, if it has none. `thread`: its object. */
void ch_thread_name_self(JNIEnv *env, jthread thread);
void ch_thread_told_apart(JNIEnv *env, jthread thread); /* this thread begins, if threads are told apart */
/* The number that tells a thread's stacks apart: its name's slot, where threads count by name, else the number that
 * Java gives it. 0: unknown. */
uint32_t ch_thread_number(JNIEnv *env, jthread thread);
uint32_t ch_number_self(JNIEnv *env); /* the same of this thread; thread_blocks.c */

#endif
