/* Compiled code: on threads of the JVM. Data that an event needs is copied, and belongs to Python, which frees it. */
#include "../../base/table.h"
#include "jvmpi.h"
#include <jvmticmlr.h>
#include <stdlib.h>
#include <string.h>

static const char capsule[] = "compiled code";

struct frame {
    jmethodID method;
    jint at; /* an index of its bytecode */
};

struct
    /* an address at which the JVM knows its stack: methods that are inlined there, the innermost first, and the
     * compiled one */
    place {
    const void *pc;
    uint32_t frames;
};

struct code {
    jmethodID method;
    const char *address;
    uint32_t lines, places;
    jvmtiAddrLocationMap *map; /* these are in one piece of memory, behind this */
    struct place *place;
    struct frame *frame;
};

/* ---- code that is told twice: by its own event, and by GenerateEvents, which tells of all that is there */

struct told {
    uint32_t hash;
    const void *address;
};
static CH_TABLE(struct told) told;
static bool catches_up;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the JVM is not called with it held */

static bool is_at(const void *entry, const void *address) { return ((const struct told *)entry)->address == address; }

void ch_code_catch_up(bool begins) {
    pthread_mutex_lock(&lock);
    catches_up = begins;
    if (!begins) ch_table_clear(&told);
    pthread_mutex_unlock(&lock);
}

bool ch_code_is_new(const void *address) {
    uint32_t hash = ch_hash_number((uintptr_t)address);
    pthread_mutex_lock(&lock);
    bool new = !catches_up || !ch_table_find(&told, hash, is_at, address);
    if (catches_up && new)
        (void)ch_table_add(&told, hash, &(struct told){.address = address}); /* no memory: it is told twice */
    pthread_mutex_unlock(&lock);
    return new;
}

void ch_code_is_gone(const void *address) {
    pthread_mutex_lock(&lock);
    struct told *t = catches_up ? ch_table_find(&told, ch_hash_number((uintptr_t)address), is_at, address) : NULL;
    if (t) ch_table_remove(&told, t);
    pthread_mutex_unlock(&lock);
}

/* ---- copying */

/* Records of other kinds may be there, too, and later versions may add to them. */
static const jvmtiCompiledMethodLoadInlineRecord *inlined(const void *info) {
    for (const jvmtiCompiledMethodLoadRecordHeader *r = info; r; r = r->next)
        if (r->kind == JVMTI_CMLR_INLINE_INFO && r->majorinfoversion == JVMTI_CMLR_MAJOR_VERSION)
            return (const void *)r;
    return NULL;
}

static void copy_places(struct code *c, const jvmtiCompiledMethodLoadInlineRecord *r) {
    struct frame *to = c->frame;
    for (uint32_t i = 0; i < c->places; i++) {
        const PCStackInfo *from = &r->pcinfo[i];
        uint32_t n = from->numstackframes > 0 ? (uint32_t)from->numstackframes : 0;
        c->place[i] = (struct place){from->pc, n};
        for (uint32_t j = 0; j < n; j++) *to++ = (struct frame){from->methods[j], from->bcis[j]};
    }
}

void *ch_code_copy(jmethodID method, const void *address, jint lines, const jvmtiAddrLocationMap *map,
                   const void *info) {
    const jvmtiCompiledMethodLoadInlineRecord *r = inlined(info);
    size_t places = r && r->numpcs > 0 ? (size_t)r->numpcs : 0, n = map && lines > 0 ? (size_t)lines : 0, frames = 0;
    for (size_t i = 0; i < places; i++)
        if (r->pcinfo[i].numstackframes > 0) frames += (size_t)r->pcinfo[i].numstackframes;
    struct code *c = malloc(sizeof *c + n * sizeof *c->map + places * sizeof *c->place + frames * sizeof *c->frame);
    if (!c) return NULL;
    *c = (struct code){
        .method = method, .address = address, .lines = (uint32_t)n, .places = (uint32_t)places, .map = (void *)(c + 1)};
    c->place = (void *)(c->map + n);
    c->frame = (void *)(c->place + places);
    if (n) memcpy(c->map, map, n * sizeof *map);
    if (r) copy_places(c, r);
    return c;
}

/* ---- as Python's */

static void drop(PyObject *object) { free(PyCapsule_GetPointer(object, capsule)); }

/* code(place): of a COMPILED_METHOD_LOAD, once: (method, address, what the following two are asked of). */
PyObject *ch_code(PyObject *self, PyObject *place) {
    struct code *c = PyLong_AsVoidPtr(place);
    (void)self;
    if (!c) return NULL;
    PyObject *held = PyCapsule_New(c, capsule, drop);
    if (held)
        return Py_BuildValue("(KKN)", (unsigned long long)ch_method(c->method),
                             (unsigned long long)(uintptr_t)c->address, held);
    free(c);
    return NULL;
}

static Py_ssize_t offset(const struct code *c, const void *pc) { return (const char *)pc - c->address; }

/* code_lines(code): [(offset, line)], without those whose line is unknown. */
PyObject *ch_code_lines(PyObject *self, PyObject *held) {
    const struct code *c = PyCapsule_GetPointer(held, capsule);
    PyObject *all = c ? PyList_New(0) : NULL;
    (void)self;
    for (uint32_t i = 0; all && i < c->lines; i++) {
        jint line = ch_method_line(c->method, c->map[i].location);
        PyObject *one = line > 0 ? Py_BuildValue("(ni)", offset(c, c->map[i].start_address), (int)line) : NULL;
        if (line > 0 && (!one || PyList_Append(all, one))) Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

static PyObject *frames_of(const struct frame *f, uint32_t n) {
    PyObject *all = PyList_New(n);
    for (uint32_t i = 0; all && i < n; i++) {
        uint64_t method = ch_method(f[i].method);
        PyObject *one =
            Py_BuildValue("(iKi)", (int)ch_method_line(f[i].method, f[i].at), (unsigned long long)method, (int)f[i].at);
        if (one)
            PyList_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

/* code_inlined(code): [(offset, [(line, method, index of its bytecode)])]. */
PyObject *ch_code_inlined(PyObject *self, PyObject *held) {
    const struct code *c = PyCapsule_GetPointer(held, capsule);
    PyObject *all = c ? PyList_New(c->places) : NULL;
    (void)self;
    const struct frame *f = c ? c->frame : NULL;
    for (uint32_t i = 0; all && i < c->places; f += c->place[i++].frames) {
        PyObject *frames = frames_of(f, c->place[i].frames);
        PyObject *one = frames ? Py_BuildValue("(nN)", offset(c, c->place[i].pc), frames) : NULL;
        if (one)
            PyList_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}
