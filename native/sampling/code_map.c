/* Finds the methods of an instruction, by the debug information that the JVM hands out with its compiled code.
 *
 * 1. The event CompiledMethodLoad says where a method's code is and, in a record of HotSpot's, which
 *    methods are inlined at which of its instructions, and at which bytecode each of them is. An instruction belongs to
 *    the first place of that list that is not below it: a place's address is where its instruction ends, and a thread
 *    is interrupted between two, mostly behind the one that took the time.
 * 2. While the event is on from the JVM's start, the JIT notes this at each instruction, not only at safepoints
 *    (compute_recording_non_safepoints in HotSpot's debugInfoRec.cpp), so that nothing is rounded to safepoints.
 * 3. A stack of inlined methods is a path in a tree of frames that all code shares; places with the same stack are one.
 * 4. Code may lie where other code lay before, of which the JVM says later that it is gone: what overlaps goes.
 * 5. Who called a compiled method is known from the topmost words of the stack, as far as these and compiled methods go
 *    (compiled_frames.c).
 * 6. The interpreter and stubs have names (DynamicCodeGenerated); the innermost one counts.
 */
#include "code_map.h"
#include "compiled_frames.h"
#include "../base/sorted.h"
#include "../base/table.h"
#include <jvmticmlr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct frame { /* of a stack of inlined methods */
    uint32_t caller; /* 0: none */
    jint bci;
    jmethodID method;
};
struct place {
    uint32_t end; /* of its instructions, from the code's begin */
    uint32_t frame; /* the innermost one */
};
struct code {
    uint64_t from, to;
    jmethodID method; /* NULL: a stub */
    char *stub;
    struct ch_frame_layout layout;
    uint32_t n;
    struct place places[];
};
struct codes { /* in the order of their begins */
    struct code **all;
    size_t n, room;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct codes methods, stubs;
static struct frame *frames;
static uint32_t frame_count = 1, frame_room;
static CH_TABLE(struct ch_numbered) frame_numbers;

/* ---- frames */

static bool is_frame(const void *entry, const void *wanted) {
    const struct frame *f = &frames[((const struct ch_numbered *)entry)->number], *w = wanted;
    return f->method == w->method && f->bci == w->bci && f->caller == w->caller;
}

/* Its number; 0: no memory. */
static uint32_t number_of(struct frame f) {
    uint32_t hash = ch_hash_number(((uint64_t)(uintptr_t)f.method * 31 + (uint32_t)f.bci) * 31 + f.caller);
    const struct ch_numbered *known = ch_table_find(&frame_numbers, hash, is_frame, &f);
    if (known) return known->number;
    if (frame_count >= frame_room) {
        uint32_t room = frame_room ? frame_room * 2 : 1024;
        struct frame *more = realloc(frames, room * sizeof *more);
        if (!more) return 0;
        frames = more;
        frame_room = room;
    }
    if (!ch_table_add(&frame_numbers, hash, &(struct ch_numbered){.number = frame_count})) return 0;
    frames[frame_count] = f;
    return frame_count++;
}

/* The stack at the place before, the outermost frame first: places beside one another differ in the last frames. */
struct before {
    uint32_t n;
    struct numbered {
        struct frame frame;
        uint32_t number;
    } frames[CH_CODE_DEPTH];
};

static uint32_t stack_of(const PCStackInfo *info, struct before *b) {
    uint32_t frame = 0, depth = 0;
    bool same = true;
    for (jint i = info->numstackframes; i-- > 0; depth++) {
        const struct frame f = {frame, info->bcis[i], info->methods[i]};
        struct numbered *known = depth < CH_CODE_DEPTH ? &b->frames[depth] : NULL;
        same = same && known && depth < b->n && known->frame.method == f.method && known->frame.bci == f.bci;
        if (!(frame = same ? known->number : number_of(f))) break;
        if (known) *known = (struct numbered){f, frame};
    }
    b->n = depth < CH_CODE_DEPTH ? depth : CH_CODE_DEPTH;
    return frame;
}

/* ---- code */

/* The index of the first one that begins above. */
static size_t above(const struct codes *codes, uint64_t at) {
    return ch_first_where(codes->n, i, codes->all[i]->from > at);
}

static void release(struct code *c) {
    free(c->stub);
    free(c);
}

static void remove_at(struct codes *codes, size_t i) {
    release(codes->all[i]);
    memmove(codes->all + i, codes->all + i + 1, (--codes->n - i) * sizeof *codes->all);
}

static void add(struct codes *codes, struct code *c) {
    if (codes->n == codes->room) {
        size_t room = codes->room ? codes->room * 2 : 1024;
        struct code **more = realloc(codes->all, room * sizeof(struct code *));
        if (!more) {
            release(c);
            return;
        }
        codes->all = more;
        codes->room = room;
    }
    size_t i = above(codes, c->from);
    memmove(codes->all + i + 1, codes->all + i, (codes->n++ - i) * sizeof *codes->all);
    codes->all[i] = c;
}

/* Methods' code does not overlap, so that what does is gone. */
static void clear(struct codes *codes, uint64_t from, uint64_t to) {
    size_t i = above(codes, from);
    if (i && codes->all[i - 1]->to > from) i--;
    while (i < codes->n && codes->all[i]->from < to) remove_at(codes, i);
}

static const jvmtiCompiledMethodLoadInlineRecord *inlined_in(const void *records) {
    for (const jvmtiCompiledMethodLoadRecordHeader *r = records; r; r = r->next)
        if (r->kind == JVMTI_CMLR_INLINE_INFO) return (const void *)r;
    return NULL;
}

static void add_places(struct code *c, const jvmtiCompiledMethodLoadInlineRecord *inlined) {
    static struct before before;
    before.n = 0;
    for (jint i = 0; inlined && i < inlined->numpcs; i++) {
        const PCStackInfo *info = &inlined->pcinfo[i];
        uint64_t end = (uint64_t)(uintptr_t)info->pc;
        uint32_t frame = end > c->from && end <= c->to ? stack_of(info, &before) : 0;
        if (!frame) continue;
        if (c->n && c->places[c->n - 1].frame == frame) c->n--;
        c->places[c->n++] = (struct place){(uint32_t)(end - c->from), frame};
    }
}

void JNICALL ch_code_loaded(jvmtiEnv *jvmti, jmethodID method, jint bytes, const void *at, jint n,
                            const jvmtiAddrLocationMap *map, const void *records) {
    const jvmtiCompiledMethodLoadInlineRecord *inlined = inlined_in(records);
    size_t most = inlined && inlined->numpcs > 0 ? (size_t)inlined->numpcs : 0;
    struct code *c = malloc(sizeof *c + most * sizeof *c->places), *smaller;
    uint64_t from = (uint64_t)(uintptr_t)at;
    (void)jvmti, (void)n, (void)map;
    if (!c) return;
    *c = (struct code){.from = from, .to = from + (uint32_t)bytes, .method = method};
    c->layout = ch_frame_layout_of(c->from, c->to);
    pthread_mutex_lock(&lock);
    add_places(c, inlined);
    if ((smaller = realloc(c, sizeof *c + c->n * sizeof *c->places))) c = smaller;
    clear(&methods, c->from, c->to);
    add(&methods, c);
    pthread_mutex_unlock(&lock);
}

void JNICALL ch_code_unloaded(jvmtiEnv *jvmti, jmethodID method, const void *at) {
    uint64_t from = (uint64_t)(uintptr_t)at;
    (void)jvmti;
    pthread_mutex_lock(&lock);
    size_t i = above(&methods, from);
    if (i-- && methods.all[i]->from == from && methods.all[i]->method == method) remove_at(&methods, i);
    pthread_mutex_unlock(&lock);
}

void JNICALL ch_code_generated(jvmtiEnv *jvmti, const char *name, const void *at, jint bytes) {
    uint64_t from = (uint64_t)(uintptr_t)at;
    struct code *c = calloc(1, sizeof *c);
    (void)jvmti;
    if (!c) return;
    *c = (struct code){.from = from, .to = from + (uint32_t)bytes, .stub = strdup(name)};
    pthread_mutex_lock(&lock);
    for (size_t i = above(&stubs, from); i-- && stubs.all[i]->from == from;) /* it was told before */
        if (stubs.all[i]->to == c->to) remove_at(&stubs, i);
    add(&stubs, c);
    pthread_mutex_unlock(&lock);
}

/* ---- what an instruction belongs to */

static const struct code *code_at(const struct codes *codes, uint64_t pc) {
    enum { NESTED = 8 /* stubs within one another */ };
    size_t i = above(codes, pc);
    for (int k = 0; i-- && k < NESTED; k++)
        if (pc < codes->all[i]->to) return codes->all[i];
    return NULL;
}

static void add_frames(const struct code *c, uint64_t pc, struct ch_code_place *found) {
    uint32_t offset = (uint32_t)(pc - c->from), before = found->n;
    size_t at = ch_first_where(c->n, i, c->places[i].end >= offset);
    for (uint32_t f = at < c->n ? c->places[at].frame : 0; f && found->n < CH_CODE_DEPTH; f = frames[f].caller)
        found->frames[found->n++] = (struct ch_code_frame){frames[f].method, frames[f].bci};
    if (found->n == before && found->n < CH_CODE_DEPTH) /* before the first place */
        found->frames[found->n++] = (struct ch_code_frame){c->method, 0};
    found->ends[found->methods++] = found->n;
}

static bool has_room(const struct ch_code_place *found) {
    return found->n < CH_CODE_DEPTH && found->methods < CH_CODE_METHODS;
}

/* The code that the word calls back to; NULL: it is no return address. */
static const struct code *returns_to(const struct ch_tick *tick, uint32_t word) {
    const struct code *c = word < tick->words ? code_at(&methods, tick->stack[word]) : NULL;
    return c && ch_frame_is_after_call(c->from, tick->stack[word]) ? c : NULL;
}

/* The method, which is at `pc` with its frame at the word, and its callers. */
static void add_all(const struct code *c, uint64_t pc, uint32_t word, const struct ch_tick *tick,
                    struct ch_code_place *found) {
    for (bool top = pc == tick->pc; c && has_room(found); top = false) {
        add_frames(c, pc, found);
        word += ch_frame_words(&c->layout, pc, top);
        if (!(c = returns_to(tick, word))) return;
        pc = tick->stack[word++];
    }
}

/* A stub that a method calls has stored at most the frame pointer. */
static void add_stub(const struct code *c, const struct ch_tick *tick, struct ch_code_place *found) {
    found->kind = strstr(c->stub, "nterpreter") ? CH_CODE_INTERPRETER : CH_CODE_STUB;
    snprintf(found->stub, sizeof found->stub, "%s", c->stub);
    if (found->kind == CH_CODE_INTERPRETER) return;
    uint32_t word = 0;
    if (!(c = returns_to(tick, word))) c = returns_to(tick, ++word);
    if (c) add_all(c, tick->stack[word], word + 1, tick, found);
}

void ch_code_at(const struct ch_tick *tick, struct ch_code_place *found) {
    const struct code *c;
    found->kind = CH_CODE_UNKNOWN;
    found->n = found->methods = 0;
    pthread_mutex_lock(&lock);
    if ((c = code_at(&methods, tick->pc))) {
        found->kind = CH_CODE_COMPILED;
        add_all(c, tick->pc, 0, tick, found);
    } else if ((c = code_at(&stubs, tick->pc)) && c->stub) {
        add_stub(c, tick, found);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- starting and stopping */

static const jvmtiEvent events[] = {JVMTI_EVENT_COMPILED_METHOD_LOAD, JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
                                    JVMTI_EVENT_DYNAMIC_CODE_GENERATED};
enum { EVENTS = sizeof events / sizeof *events };

static bool set(jvmtiEventMode mode) {
    bool done = true;
    for (size_t i = 0; i < EVENTS; i++) done &= !(*ch_jvmti)->SetEventNotificationMode(ch_jvmti, mode, events[i], NULL);
    return done;
}

bool ch_code_listen(void) {
    static const jvmtiCapabilities wanted = {.can_generate_compiled_method_load_events = 1};
    return !(*ch_jvmti)->AddCapabilities(ch_jvmti, &wanted) && set(JVMTI_ENABLE);
}

void ch_code_ask(void) {
    (void)(*ch_jvmti)->GenerateEvents(ch_jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    (void)(*ch_jvmti)->GenerateEvents(ch_jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
}

/* Nothing is kept, since code that comes or goes from now on is not heard of. */
void ch_code_stop(void) {
    (void)set(JVMTI_DISABLE);
    pthread_mutex_lock(&lock);
    while (methods.n) release(methods.all[--methods.n]);
    while (stubs.n) release(stubs.all[--stubs.n]);
    ch_table_clear(&frame_numbers);
    frame_count = 1;
    pthread_mutex_unlock(&lock);
}
