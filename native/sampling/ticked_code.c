/* Finds the code that a tick of CPU time fell on: a method, by code_map.c, or native code, by native_symbols.c.
 *
 * 1. Compiled code names its methods. They are joined with the thread's stack, which was taken a moment later.
 * 2. The interpreter's code belongs to the topmost method of the stack, unless that is a native one: then the thread
 *    has left the code meanwhile. A stub has a frame below the topmost method.
 * 3. Native code is below that method, too: a thread that is in the JVM when its stack is asked for gives it where it
 *    leaves the JVM. The agent's own code is in no stack.
 */
#include "native_symbols.h"
#include "sampling.h"
#include <stdio.h>
#include <string.h>

struct symbol {
    uint32_t hash, number;
    uint64_t from;
    enum ch_ran ran;
    bool of_system; /* in a library that the JVM calls, too */
};
static CH_TABLE(struct symbol) symbols;

/* HotSpot's classes that load, verify and link classes. */
static const char *const of_class_loading[] = {
    "ClassFile",        "SystemDictionary", "ClassVerifier", "Verifier",         "ClassLoader",  "InstanceKlass",
    "Rewriter",         "SymbolTable",      "StackMapTable", "StackMapFrame",    "ConstantPool", "LinkResolver",
    "VerificationType", "klassVtable",      "klassItable",   "RawBytecodeStream"};

static enum ch_ran kind_of(const char *name) {
    if (strstr(name, "[libclasshook")) return CH_RAN_AGENT;
    if (!strstr(name, "[libjvm.so]")) return CH_RAN_NATIVE;
    for (size_t i = 0; i < sizeof of_class_loading / sizeof *of_class_loading; i++)
        if (!strncmp(name, of_class_loading[i], strlen(of_class_loading[i]))) return CH_RAN_CLASSES;
    return CH_RAN_JVM;
}

static bool is_of_system(const char *name) {
    static const char *const libraries[] = {"[libjvm.so]", "[libc.so", "[libm.so",
                                            "[libpthread", "[ld-",     "[linux-vdso"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strstr(name, libraries[i])) return true;
    return false;
}

static bool is_symbol(const void *entry, const void *from) {
    return ((const struct symbol *)entry)->from == *(const uint64_t *)from;
}

static struct symbol symbol_at(uint64_t pc) {
    struct ch_symbol found = {0, "[unknown code]"};
    (void)ch_symbol_at(pc, &found);
    uint32_t hash = ch_hash_number(found.from);
    const struct symbol *known = ch_table_find(&symbols, hash, is_symbol, &found.from);
    if (known) return *known;
    struct symbol s = {.number = ch_frame_named(found.name),
                       .from = found.from,
                       .ran = kind_of(found.name),
                       .of_system = !found.from || is_of_system(found.name)};
    ch_table_add(&symbols, hash, &s);
    return s;
}

static struct ch_ran_at below(struct ch_calls *calls, uint32_t node, const struct symbol *s) {
    return (struct ch_ran_at){s->ran == CH_RAN_AGENT ? 0 : ch_calls_node(calls, node, s->number), s->ran, false};
}

struct ch_ran_at ch_ran_natively(struct ch_calls *calls, uint32_t node, uint64_t pc) {
    const struct symbol s = symbol_at(pc);
    return below(calls, node, &s);
}

/* Only a native method calls a library, so that another one on top shows that the thread has left the library. */
static struct ch_ran_at natively_in_java(struct ch_calls *calls, struct ch_stack_form form, uint32_t node,
                                         uint64_t pc) {
    const struct symbol s = symbol_at(pc);
    bool left = !s.of_system && s.ran != CH_RAN_AGENT && ch_java_stack_is_in_java();
    struct ch_ran_at at = below(calls, left ? ch_java_stack_left(calls, form) : node, &s);
    at.unjoined = left;
    return at;
}

struct ch_ran_at ch_ran_in_java(JNIEnv *env, struct ch_calls *calls, struct ch_stack_form form, uint32_t node,
                                const struct ch_tick *tick) {
    struct ch_code_place code;
    char text[sizeof code.stub + 16];
    bool joined = true;
    ch_code_at(tick, &code);
    if (code.n) node = ch_java_stack_joined(env, calls, form, &code, &joined);
    switch (code.kind) {
    case CH_CODE_COMPILED: return (struct ch_ran_at){node, CH_RAN_COMPILED, !joined};
    case CH_CODE_INTERPRETER:
        if (ch_java_stack_is_in_java()) return (struct ch_ran_at){node, CH_RAN_INTERPRETED, false};
        node = ch_calls_node(calls, ch_java_stack_left(calls, form), ch_frame_named("[interpreter]"));
        return (struct ch_ran_at){node, CH_RAN_INTERPRETED, true};
    case CH_CODE_STUB:
        snprintf(text, sizeof text, "[%s]", code.stub);
        return (struct ch_ran_at){ch_calls_node(calls, node, ch_frame_named(text)), CH_RAN_COMPILED, !joined};
    default: return natively_in_java(calls, form, node, tick->pc);
    }
}
