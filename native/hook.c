/* The class file load hook: filter, weave, number the probes, hand the bytes to the JVM; whatever fails leaves the class alone.
 *
 * Classes that were loaded before the hook is on are retransformed once, together; where the JVM refuses, one by one.
 */
#include "agent.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASS_MOST (8 << 20) /* bytes of a class that is woven, as MAX_CLASS in instrument/weave.py */

volatile bool ch_hook_on;

/* Classes that the probes themselves run through: woven, they would call themselves. */
static bool is_tracker(jobject loader, const char *name) { return !loader && !strcmp(name, CH_TRACKER); }
static bool is_untouchable(jobject loader, const char *name) {
    return is_tracker(loader, name) || (!loader && !strcmp(name, "jdk/internal/misc/Unsafe"));
}

static bool may_match(JNIEnv *env, jobject loader, const char *name, const unsigned char *data, jint bytes, bool *in_jdk) {
    if (ch_has_time && ch_stacks_travel && !loader && !strcmp(name, "java/lang/VirtualThread")) return *in_jdk = true;
    return ch_filter_match(env, loader, name, data, bytes, in_jdk);
}

static void tally(uint64_t *n, uint64_t by) { __atomic_fetch_add(n, by, __ATOMIC_RELAXED); }

/* Constants that number the probes hold positions relative to the class' first slot until now. */
static void number_probes(unsigned char *bytes, const struct ch_woven *w, uint32_t first) {
    unsigned char *at = bytes + w->integers_at;
    for (uint32_t i = 0; i < w->integers; i++, at += 5) {
        uint32_t n = ((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]) + first;
        at[0] = (unsigned char)(n >> 24), at[1] = (unsigned char)(n >> 16), at[2] = (unsigned char)(n >> 8), at[3] = (unsigned char)n;
    }
}

/* Text that must stay one field: a class may be called anything, and so may what an error speaks of. */
static void copy_field(char *to, size_t room, const char *from) {
    snprintf(to, room, "%s", from);
    for (; *to; to++)
        if (strchr("\t\n\r\\", *to)) *to = '?';
}

static void skip(const char *name, const char *reason, const char *detail) {
    char class_name[1024], why[1024], text[2200];
    copy_field(class_name, sizeof class_name, name);
    copy_field(why, sizeof why, detail);
    /* as instrument/probes.py writes it; internal names become binary ones when they are read */
    int n = snprintf(text, sizeof text, "C\t%s\t\nS\t\t\t%s\t%s", class_name, reason, why);
    ch_meta_add(CH_META_SKIP, 0, 0, text, (size_t)n);
}

/* A class that a rule matches stays as it was. */
static void leave(const char *name, const char *reason, const char *detail) {
    tally(&ch_header->matched, 1);
    skip(name, reason, detail);
}

enum { OF_PROGRAM = 0, OF_JDK = 1, SEALED = 2 };

/* A class on its way through the hook. */
struct subject {
    const char *name;
    struct ch_key key, woven_key; /* of its bytes and whose they are; and of how they are woven */
    struct ch_verdicts verdicts;
};

static struct subject subject(const char *name, uint64_t kind, const unsigned char *data, jint bytes) {
    struct subject s = {.name = name, .key = ch_hash((struct ch_key){kind, ch_has_time}, data, (size_t)bytes)};
    s.verdicts = ch_verdicts_find(s.key);
    s.woven_key = s.verdicts.n ? ch_hash(s.key, s.verdicts.methods, s.verdicts.n * sizeof *s.verdicts.methods) : s.key;
    return s;
}

/* Slots for the class, and its table in the metadata; the slots of its copy where there is one. UINT32_MAX: no room. */
static uint32_t place(const struct subject *s, const struct ch_woven *w) {
    uint32_t first = w->slots ? ch_copies_find(s->woven_key) : 0;
    if (!w->slots) {
        if (w->meta_bytes) ch_meta_add(CH_META_CLASS, 0, 0, w->meta, w->meta_bytes);
        return 0;
    }
    if (first != UINT32_MAX) return first;
    first = ch_slots_take(w->slots);
    if (first == UINT32_MAX || !ch_pace_class(first, w->slots, w->meta, w->meta_bytes)) {
        skip(s->name, "too-many-probes", "no room for more counters");
        return UINT32_MAX;
    }
    ch_verdicts_apply(s->key, s->verdicts, first, w);
    ch_meta_add(CH_META_CLASS, first, w->slots, w->meta, w->meta_bytes);
    ch_copies_add(s->woven_key, first);
    return first;
}

static bool deliver(const struct subject *s, const struct ch_woven *w, jint *new_bytes, unsigned char **new_data) {
    unsigned char *to = NULL;
    /* the cache and the weaver are trusted to mean well, not to be whole */
    if (w->integers && (!w->integers_at || (uint64_t)w->integers_at + 5 * (uint64_t)w->integers > w->length)) {
        skip(s->name, "internal-error", "its probes cannot be numbered");
        return false;
    }
    if (!ch_ok((*ch_jvmti)->Allocate(ch_jvmti, w->length, &to), "Allocate")) {
        skip(s->name, "refused-by-jvm", "it has no memory for the woven class");
        return false;
    }
    uint32_t first = place(s, w);
    if (first == UINT32_MAX) {
        (*ch_jvmti)->Deallocate(ch_jvmti, to);
        return false;
    }
    memcpy(to, w->bytes, w->length);
    number_probes(to, w, first);
    *new_bytes = (jint)w->length;
    *new_data = to;
    return true;
}

/* ---- the hook */

/* Does what the weaver's answer says. */
static void take(const struct subject *s, const struct ch_woven *w, bool cached, jint *new_bytes, unsigned char **new_data) {
    if (w->status == CH_WOVEN || w->status == CH_SUPPORT) {
        if (deliver(s, w, new_bytes, new_data) && w->status == CH_WOVEN) tally(&ch_header->woven, 1);
    } else if (w->meta_bytes) {
        ch_meta_add(CH_META_SKIP, 0, 0, w->meta, w->meta_bytes);
    }
    if (w->status == CH_WOVEN || w->status == CH_SKIPPED) {
        tally(&ch_header->matched, 1);
        if (cached) tally(&ch_header->cached, 1);
    }
}

static void transform(JNIEnv *env, jclass redefined, jobject loader, const char *name, jint bytes, const unsigned char *data,
                      jint *new_bytes, unsigned char **new_data) {
    struct ch_woven w = {0};
    bool in_jdk = false;
    if (!redefined) tally(&ch_header->seen, 1);
    if (ch_find_sealed(data, (uint32_t)bytes, &w)) {
        struct subject s = subject(name, SEALED, data, bytes);
        take(&s, &w, false, new_bytes, new_data);
        return;
    }
    /* Bytes that we wove before, given back by another agent that redefines the class: their probes count on. */
    if (redefined && memmem(data, (size_t)bytes, CH_TRACKER, sizeof CH_TRACKER - 1)) return;
    if (is_untouchable(loader, name) || !may_match(env, loader, name, data, bytes, &in_jdk)) return;
    if (bytes > CLASS_MOST) {
        char detail[80];
        snprintf(detail, sizeof detail, "%d bytes, where %d are the most", (int)bytes, CLASS_MOST);
        leave(name, "class-too-large", detail);
        return;
    }
    uint64_t start = ch_monotonic_ns();
    struct subject s = subject(name, in_jdk ? OF_JDK : OF_PROGRAM, data, bytes);
    bool cached = ch_cache_find(s.woven_key, &w);
    if (!cached && !ch_python_is_ready() && !(cached = ch_cache_find(s.key, &w) /* woven before the verdicts */)) {
        ch_python_say_trouble();
        /* what only we wanted woven is no loss to tell of */
        if (ch_filter_match(env, loader, name, data, bytes, &in_jdk)) leave(name, "no-python", ch_python_trouble());
        return;
    }
    if (!cached) {
        start = ch_monotonic_ns(); /* Python's start is told apart */
        if (!ch_python_weave(name, data, (uint32_t)bytes, in_jdk, s.verdicts, &w)) {
            leave(name, "internal-error", "the weaver gave no answer");
            return;
        }
        if (w.lasting) ch_cache_add(s.woven_key, &w, false);
    }
    take(&s, &w, cached, new_bytes, new_data);
    if (w.status == CH_WOVEN || w.status == CH_SKIPPED) tally(&ch_header->weaving_ns, ch_monotonic_ns() - start);
    if (!cached) {
        free(w.bytes);
        free(w.meta);
    }
}

void JNICALL ch_class_file_load_hook(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                                     jobject domain, jint bytes, const unsigned char *data, jint *new_bytes,
                                     unsigned char **new_data) {
    (void)jvmti, (void)domain;
    if (!ch_hook_on || !env) return;
    char *own_name = name ? NULL : ch_class_name(data, (size_t)bytes);
    transform(env, redefined, loader, name ? name : own_name ? own_name : "?", bytes, data, new_bytes, new_data);
    free(own_name);
}

/* ---- what was loaded before */

/* Whether a rule that matches the class finds it as it was, which is said. */
static bool stays(JNIEnv *env, jclass c, jobject loader, const char *name) {
    static const unsigned char no_bytes[1]; /* such classes have no supertype that a rule would name */
    jboolean modifiable = JNI_FALSE;
    bool untouchable = is_untouchable(loader, name), recorded = ch_aot_recording && !loader, in_jdk;
    if (!untouchable && !recorded && !(*ch_jvmti)->IsModifiableClass(ch_jvmti, c, &modifiable) && modifiable) return false;
    if (is_tracker(loader, name) || !ch_filter_match(env, loader, name, no_bytes, 0, &in_jdk)) return true;
    if (untouchable)
        leave(name, "tracker-stands-on-it", "the probes themselves run through it");
    else if (recorded)
        leave(name, "aot-recording", "it was loaded before the agent");
    else
        leave(name, "refused-by-jvm", "it may not be changed");
    return true;
}

static bool wanted(JNIEnv *env, jclass c) {
    char *signature = NULL;
    jobject loader = NULL;
    bool yes = false, in_jdk;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL) || !signature) return false;
    size_t n = strlen(signature);
    if (signature[0] == 'L' && !strchr(signature, '.') && n > 2) { /* a hidden class' has a dot */
        signature[n - 1] = 0;
        if (!(*ch_jvmti)->GetClassLoader(ch_jvmti, c, &loader))
            yes = may_match(env, loader, signature + 1, NULL, 0, &in_jdk) && !stays(env, c, loader, signature + 1);
        if (loader) (*env)->DeleteLocalRef(env, loader);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return yes;
}

static void say_refused(jclass c, jvmtiError error) {
    char *signature = NULL, *text = NULL;
    (*ch_jvmti)->GetErrorName(ch_jvmti, error, &text);
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) {
        signature[strlen(signature) - 1] = 0;
        skip(signature + 1, "refused-by-jvm", text ? text : "");
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)text);
}

void ch_hook_start(JNIEnv *env) {
    jclass *classes = NULL;
    jint n = 0, chosen = 0;
    ch_hook_on = true;
    if (!ch_ok((*ch_jvmti)->SetEventNotificationMode(ch_jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL), "the hook"))
        return;
    if (!ch_ok((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes), "GetLoadedClasses")) return;
    tally(&ch_header->seen, (uint64_t)n);
    (*env)->EnsureLocalCapacity(env, n + 64);
    for (jint i = 0; i < n; i++) {
        if (wanted(env, classes[i]))
            classes[chosen++] = classes[i];
        else
            (*env)->DeleteLocalRef(env, classes[i]);
    }
    if (chosen && (*ch_jvmti)->RetransformClasses(ch_jvmti, chosen, classes)) {
        for (jint i = 0; i < chosen; i++) {
            jvmtiError error = (*ch_jvmti)->RetransformClasses(ch_jvmti, 1, &classes[i]);
            if (error) say_refused(classes[i], error);
            (*env)->ExceptionClear(env);
        }
    }
    for (jint i = 0; i < chosen; i++) (*env)->DeleteLocalRef(env, classes[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
}

void ch_hook_name_classes(void) {
    jclass *classes = NULL;
    jint n = 0;
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return;
    if (!(*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes)) {
        for (jint i = 0; i < n; i++) {
            char *signature = NULL;
            if ((*ch_jvmti)->GetClassSignature(ch_jvmti, classes[i], &signature, NULL)) continue;
            if (signature[0] == 'L') fprintf(f, "%.*s\n", (int)strlen(signature) - 2, signature + 1);
            (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
        }
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
    }
    fclose(f);
    ch_meta_add(CH_META_NAMES, 0, 0, text, bytes);
    free(text);
}
