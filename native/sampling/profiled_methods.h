/* Profiled methods, and which of them compiled code belongs to. See profiled_methods.c. */
#ifndef CLASSHOOK_PROFILED_METHODS_H
#define CLASSHOOK_PROFILED_METHODS_H
#include "../blocks/call_tree.h"
#include "../measure/measure.h"
#include "code_map.h"

void ch_profiled_add(const struct ch_woven_class *woven); /* its methods that are profiled, timed, or only counted */
void ch_profiled_note(jmethodID method); /* one of compiled code; while a JVMTI event is told */
bool ch_profiled_in_probe(const struct ch_code_place *code); /* a probe's */
/* The node of the path on which a thread was when it ticked, and of the code that it was in. `node`: that
 * of the outer frames, which the tick did not copy. */
uint32_t ch_profiled_node(struct ch_calls *calls, uint32_t node, const struct ch_tick_path *path,
                          const struct ch_code_place *code);
#endif
