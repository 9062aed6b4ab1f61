/* Machine code that the JVM made: which methods an instruction belongs to. See code_map.c. */
#ifndef CLASSHOOK_CODE_MAP_H
#define CLASSHOOK_CODE_MAP_H
#include "../base/base.h"
#include "cpu_ticks.h"

#define CH_CODE_EVENTS(EVENT) \
    EVENT(COMPILED_METHOD_LOAD, CompiledMethodLoad, ch_code_loaded, LATER) \
    EVENT(COMPILED_METHOD_UNLOAD, CompiledMethodUnload, ch_code_unloaded, LATER) \
    EVENT(DYNAMIC_CODE_GENERATED, DynamicCodeGenerated, ch_code_generated, LATER)
void JNICALL ch_code_loaded(jvmtiEnv *jvmti, jmethodID method, jint bytes, const void *at, jint n,
                            const jvmtiAddrLocationMap *map, const void *records);
void JNICALL ch_code_unloaded(jvmtiEnv *jvmti, jmethodID method, const void *at);
void JNICALL ch_code_generated(jvmtiEnv *jvmti, const char *name, const void *at, jint bytes);

/* Listens; false: this JVM has no such events. Called while the JVM starts, the JIT keeps debug information at each
 * instruction; later, code that is there already has some at safepoints only. */
bool ch_code_listen(void);
void ch_code_ask(void); /* for the code that is there already */
void ch_code_stop(void);

enum ch_code { CH_CODE_UNKNOWN, CH_CODE_COMPILED, CH_CODE_INTERPRETER, CH_CODE_STUB };
enum { CH_CODE_DEPTH = 256, CH_CODE_METHODS = 32 };
struct ch_code_place {
    enum ch_code kind; /* of the innermost code */
    char stub[64]; /* its name */
    uint32_t n; /* methods: compiled ones and those inlined in them, as far as the callers are known */
    struct ch_code_frame {
        jmethodID method;
        jint bci;
    } frames[CH_CODE_DEPTH]; /* the innermost one first */
    uint32_t methods, ends[CH_CODE_METHODS]; /* of each compiled method, the number of frames up to its own */
};
void ch_code_at(const struct ch_tick *tick, struct ch_code_place *found);
#endif
