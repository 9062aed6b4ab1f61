/* The natives of `by`: which slot counts a call, by the values that the rule names. They run no Java.
 *
 * 1. In the probe's record, `parts` has a word for each value: `T`, the thread's name; `S` and a number, so many callers; else a path as in watch_specs.c.
 * 2. With several values, `keyPart` is told all but the last one, which is told to `key`.
 */
#include "../counting/key_slots.h"
#include "keys.h"
#include "rule_specs.h"
#include "tracker_natives.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 8 };

struct part {
    char what; /* 'T', 'S' or 0: the value at a way */
    uint32_t frames;
    char letter; /* of the root's descriptor */
    struct ch_way way;
};
struct keyed {
    struct ch_keys keys; /* first */
    uint32_t parts;
    struct part part[MOST_PARTS];
};
/* Of a key with several parts, what the thread was told so far. */
struct told {
    const struct keyed *of;
    uint32_t parts;
    struct ch_key_values bytes;
};

static pthread_key_t told_key;
static bool told_keys;

/* ---- what a rule asks for, from the probe's record */

/* The first letter of an argument's type. */
static char letter_of(const char *descriptor, int argument) {
    const char *p = descriptor + 1;
    while (*p && *p != ')') {
        const char *type = p;
        while (*p == '[') p++;
        if (*p == 'L' && !(p = strchr(p, ';'))) return 'L';
        p++;
        if (!argument--) return ch_type_letter(type);
    }
    return 'L';
}

static bool read_part(struct part *to, const char *word, const char *descriptor) {
    *to = (struct part){.letter = 'L'};
    if (*word == CH_KEY_THREAD || *word == CH_KEY_STACK) {
        to->what = *word;
        to->frames = (uint32_t)atoi(word + 1);
        return to->frames <= CH_KEY_FRAMES;
    }
    const struct ch_way *way = ch_way_read(word);
    if (!way) return false;
    to->way = *way;
    if (way->root >= 0) to->letter = letter_of(descriptor, way->root);
    return true;
}

static void *read_keyed(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    if (!ch_probe_of(slot, CH_PROBE_COUNT_BY, &class_name, &p) && !ch_probe_of(slot, CH_PROBE_TIME_BY, &class_name, &p) &&
        !ch_probe_of(slot, CH_PROBE_VALUE_BY, &class_name, &p))
        return NULL;
    struct keyed *k = calloc(1, sizeof *k);
    char *words = ch_text_copy(p.keyed.parts), *descriptor = ch_text_copy(p.descriptor), *rest = words;
    bool well = k && words && descriptor;
    for (char *word; well && (word = strtok_r(NULL, " ", &rest));) well = k->parts < MOST_PARTS && read_part(&k->part[k->parts++], word, descriptor);
    free(words);
    free(descriptor);
    if (!well || !k->parts) { /* a damaged one: there is none that this agent wrote */
        free(k);
        return NULL;
    }
    k->keys = (struct ch_keys){.first = slot, .top = p.keyed.top ? p.keyed.top : 1, .text = ch_key_text};
    k->keys.candidates = calloc(k->keys.top, sizeof *k->keys.candidates);
    return k;
}

static void prepare(JNIEnv *env) {
    const jvmtiCapabilities lines = {.can_get_line_numbers = 1};
    (*ch_jvmti)->AddCapabilities(ch_jvmti, &lines); /* without them, callers have no lines */
    told_keys = !pthread_key_create(&told_key, free);
    (void)ch_key_prepare(env);
}

static struct ch_specs specs = {.slots = CH_KEYED_SLOTS, .read = read_keyed, .prepare = prepare};

/* What a probe asks for, whose call is counted; NULL: no such probe begins there. */
static inline struct keyed *counted(JNIEnv *env, jint first) {
    struct keyed *k = ch_spec_of(&specs, env, first);
    ch_follow(env, NULL);
    if (k && !ch_self.silent) ch_block_add(ch_block_for_count(), first, CH_KEYED_CALLS, 1);
    if (!k && first >= 0) ch_block_add(&ch_shared, first, 0, 1); /* an unnumbered probe */
    return k;
}

static void add_part(JNIEnv *env, struct ch_key_values *to, const struct part *p, jobject root) {
    struct ch_value_seen v;
    switch (p->what) {
    case CH_KEY_THREAD: ch_key_add_thread(env, to); return;
    case CH_KEY_STACK: ch_key_add_stack(to, p->frames); return;
    default: break;
    }
    v = p->way.steps ? ch_value_from(env, root, &p->way, NULL) : ch_typed_seen(env, root, p->letter);
    ch_key_add_value(env, to, &v);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
}

/* ---- the natives */

static struct told *told_of(const struct keyed *k) {
    if (!told_keys) return NULL;
    struct told *told = pthread_getspecific(told_key);
    if (!told && (told = calloc(1, sizeof *told)) && pthread_setspecific(told_key, told)) {
        free(told);
        return NULL;
    }
    if (told && told->of != k) *told = (struct told){.of = k};
    return told;
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_keyPart(JNIEnv *env, jclass c, jobject root, jint first) {
    (void)c;
    struct keyed *k = ch_spec_of(&specs, env, first);
    struct told *told = k ? told_of(k) : NULL;
    if (!told || told->parts + 1 >= k->parts) return;
    add_part(env, &told->bytes, &k->part[told->parts++], root);
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_key(JNIEnv *env, jclass c, jobject root, jint first) {
    struct ch_key_values own;
    (void)c;
    struct keyed *k = counted(env, first);
    if (!k) return first + CH_KEYED_OTHERS;
    if (k->parts == 1) {
        own.n = 0;
        add_part(env, &own, k->part, root);
        return (jint)ch_key_slot(&k->keys, own.at, own.n);
    }
    struct told *told = told_of(k);
    if (!told || told->parts + 1 != k->parts) return first + CH_KEYED_OTHERS;
    add_part(env, &told->bytes, &k->part[told->parts], root);
    told->of = NULL;
    return (jint)ch_key_slot(&k->keys, told->bytes.at, told->bytes.n);
}

static char kind_of(char letter) { return letter == 'Z' ? CH_VALUE_BOOLEAN : letter == 'C' ? CH_VALUE_CHAR : CH_VALUE_INT; }

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_keyNumber(JNIEnv *env, jclass c, jlong number, jint first) {
    struct {
        char kind;
        char number[sizeof number];
    } key;
    (void)c;
    struct keyed *k = counted(env, first);
    if (!k) return first + CH_KEYED_OTHERS;
    key.kind = kind_of(k->part[0].letter);
    memcpy(key.number, &number, sizeof number);
    return (jint)ch_key_slot_of_number(&k->keys, &key, sizeof key, (uint64_t)number);
}
