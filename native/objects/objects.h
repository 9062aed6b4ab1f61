/* Objects: which are allocated where, and which of them live on, by samples. It uses the names and stacks of the layer of monitors. */
#ifndef CLASSHOOK_OBJECTS_H
#define CLASSHOOK_OBJECTS_H
#include "../locks/locks.h"

#define CH_KEEPS 0x10000u /* with a number of frames: what is live is wanted */

/* ---- objects.c: rules `alloc ... live` and `alloc ... stack N` */
void ch_objects_rule(uint64_t every, uint32_t frames); /* a rule asks for it; of several the finest counts. No frames: none does yet */
void ch_objects_early(void);         /* before the JVM's first thread is there */
void ch_objects_follow(JNIEnv *env); /* at VMInit, or when rules were exchanged: starts, goes on or stops, as they ask */
void ch_objects_end(bool death);     /* at VMDeath, or when the agent is detached: finds out what is live, if that is wanted */
#endif
