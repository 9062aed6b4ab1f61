/* The natives of `by`: which slot counts a call, by the values that the rule names. They run no Java.
 *
 * 1. In the probe's record, `parts` has a word for each value: `T`, the thread's name; `S` and a number, so many
 *    callers; `E`, what is thrown, whose supertypes are told once; else a path as in watch_specs.c, after a `Q` if it leads to an SQL text.
 * 2. SQL texts that differ in their literals have the same slot. A text that came before is recognised by its hash,
 *    before it is looked at closer.
 * 3. With several values, `keyPart` gets all but the last one, which `key` gets.
 */
#include "../blocks/key_slots.h"
#include "keys.h"
#include "rule_specs.h"
#include "tracker_natives.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 8, MOST_SQL = 4096 /* characters that are looked at */, KNOWN_TEXTS = 256, TOLD = 16 };

/* An SQL text that came before, and its slot. Threads write both words without a lock: `check` is the hash's low half,
 * changed by the other word, so that no two halves of different writes fit. */
struct known_text {
    uint64_t check, slot; /* slot: in its low half; above it a part of the hash */
};

struct part {
    char what; /* 'T', 'S', 'E' or 0: the value at a way */
    uint32_t frames;
    char letter; /* of the root's descriptor */
    bool sql;
    struct ch_way way;
};
struct keyed {
    struct ch_keys keys; /* first */
    uint32_t parts;
    struct part part[MOST_PARTS];
    uint32_t told[TOLD]; /* slots of classes whose supertypes were told, the last ones */
    struct known_text *texts; /* of a key that is one SQL text; NULL: there is no memory */
};
/* The parts that a thread has passed so far, of a key with several parts. */
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
    if (*word == CH_KEY_THREAD || *word == CH_KEY_STACK || *word == CH_KEY_THROWN) {
        to->what = *word;
        to->frames = (uint32_t)atoi(word + 1);
        return to->frames <= CH_KEY_FRAMES;
    }
    to->sql = *word == CH_KEY_SQL;
    const struct ch_way *way = ch_way_read(word + to->sql);
    if (!way) return false;
    to->way = *way;
    if (way->root >= 0) to->letter = letter_of(descriptor, way->root);
    if (way->root == CH_ROOT_RESULT) to->letter = ch_type_letter(strrchr(descriptor, ')') + 1);
    return true;
}

static void *read_keyed(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    const uint64_t kinds = CH_KIND(COUNT_BY) | CH_KIND(TIME_BY) | CH_KIND(TIME_RESUMED_BY) | CH_KIND(COUNT_BELOW_BY) |
                           CH_KIND(TIME_BELOW_BY) | CH_KIND(VALUE_BY) | CH_KIND(VALUE_LINE_BY) | CH_KIND(THROW);
    if (!ch_probe_of(slot, kinds, &class_name, &p)) return NULL;
    struct keyed *k = calloc(1, sizeof *k);
    char *words = ch_text_copy(p.keyed.parts), *descriptor = ch_text_copy(p.descriptor), *rest = words;
    bool well = k && words && descriptor;
    for (char *word; well && (word = strtok_r(NULL, " ", &rest));)
        well = k->parts < MOST_PARTS && read_part(&k->part[k->parts++], word, descriptor);
    free(words);
    free(descriptor);
    if (!well || !k->parts) { /* no memory, or a damaged one: there is none that this agent wrote */
        ch_no_memory();
        free(k);
        return NULL;
    }
    k->keys = (struct ch_keys){.first = slot,
                               .slots = p.kind == CH_PROBE_TIME_RESUMED_BY ? 1 + CH_KEYED_RESUMED : 1,
                               .top = p.keyed.top ? p.keyed.top : 1,
                               .text = ch_key_text};
    k->keys.candidates = calloc(k->keys.top, sizeof *k->keys.candidates);
    if (k->parts == 1 && k->part[0].sql) k->texts = calloc(KNOWN_TEXTS, sizeof *k->texts);
    return k;
}

static void prepare(JNIEnv *env) {
    const jvmtiCapabilities lines = {.can_get_line_numbers = 1};
    (*ch_jvmti)->AddCapabilities(ch_jvmti, &lines); /* without them, callers have no lines */
    told_keys = !pthread_key_create(&told_key, free);
    (void)ch_key_prepare(env);
}

static struct ch_specs specs = {.slots = CH_KEYED_SLOTS, .read = read_keyed, .prepare = prepare};

/* The keyed probe at a slot, whose call is counted; NULL: no such probe begins there. */
static inline struct keyed *counted(JNIEnv *env, jint first) {
    struct keyed *k = ch_spec_of(&specs, env, first);
    ch_follow(env, NULL);
    if (k && !ch_self.silent) ch_block_add(ch_block_for_count(), first, CH_KEYED_CALLS, 1);
    if (!k && first >= 0) ch_block_add(&ch_shared, first, 0, 1); /* an unnumbered probe */
    return k;
}

static struct ch_value_seen value_of(JNIEnv *env, const struct part *p, jobject root) {
    return p->way.steps ? ch_value_from(env, root, &p->way, NULL) : ch_typed_seen(env, root, p->letter);
}

/* Returns how many characters are in `to`, at most MOST_SQL. */
static uint32_t read_text(JNIEnv *env, jstring text, jchar *to, bool *whole) {
    jsize n = (*env)->GetStringLength(env, text), taken = n < MOST_SQL ? n : MOST_SQL;
    (*env)->GetStringRegion(env, text, 0, taken, to);
    *whole = n == taken;
    return (uint32_t)taken;
}

static void add_part(JNIEnv *env, struct ch_key_values *to, const struct part *p, jobject root) {
    struct ch_value_seen v;
    jchar text[MOST_SQL];
    bool whole;
    switch (p->what) {
    case CH_KEY_THREAD: ch_key_add_thread(env, to); return;
    case CH_KEY_STACK: ch_key_add_stack(to, p->frames); return;
    default: break;
    }
    v = value_of(env, p, root);
    if (p->sql && v.kind == CH_VALUE_STRING) {
        uint32_t n = read_text(env, v.object, text, &whole);
        ch_key_add_sql(to, text, n, whole);
    } else {
        ch_key_add_value(env, to, &v);
    }
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
}

/* The slot of a key that is one SQL text. */
static uint32_t slot_of_sql(JNIEnv *env, struct keyed *k, const struct part *part, jobject root) {
    struct ch_key_values key;
    jchar text[MOST_SQL];
    bool whole;
    key.n = 0;
    struct ch_value_seen v = value_of(env, part, root);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    if (v.kind != CH_VALUE_STRING) {
        ch_key_add_value(env, &key, &v);
        return ch_key_slot(&k->keys, key.at, key.n);
    }
    uint32_t n = read_text(env, v.object, text, &whole);
    struct ch_key hash = ch_hash_own((struct ch_key){0, whole}, text, n * sizeof *text);
    struct known_text *known = &k->texts[hash.low % KNOWN_TEXTS];
    uint64_t slot = ch_load_relaxed(&known->slot), high = hash.high & ~(uint64_t)UINT32_MAX;
    if (slot && (slot ^ ch_load_relaxed(&known->check)) == hash.low && (slot & ~(uint64_t)UINT32_MAX) == high)
        return (uint32_t)slot;
    ch_key_add_sql(&key, text, n, whole);
    uint32_t found = ch_key_slot(&k->keys, key.at, key.n);
    if (found != k->keys.first + CH_KEYED_OTHERS) { /* which it may leave */
        ch_store_relaxed(&known->slot, high | found);
        ch_store_relaxed(&known->check, (high | found) ^ hash.low);
    }
    return found;
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

/* The slot of a key with one value. */
static jint slot_of_one(JNIEnv *env, struct keyed *k, const struct part *part, jobject root) {
    struct ch_key_values own;
    if (k->texts) return (jint)slot_of_sql(env, k, part, root);
    own.n = 0;
    add_part(env, &own, part, root);
    return (jint)ch_key_slot(&k->keys, own.at, own.n);
}

static void tell_once(JNIEnv *env, struct keyed *k, jobject thrown, uint32_t slot) {
    uint32_t *told = &k->told[slot % TOLD];
    if (ch_load_relaxed(told) == slot) return;
    ch_tell_supertypes(env, thrown);
    ch_store_relaxed(told, slot);
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_key(JNIEnv *env, jclass c, jobject root, jint first) {
    (void)c;
    struct keyed *k = counted(env, first);
    if (!k) return first + CH_KEYED_OTHERS;
    if (k->parts == 1) {
        jint slot = slot_of_one(env, k, k->part, root);
        if (k->part->what == CH_KEY_THROWN && root) tell_once(env, k, root, (uint32_t)slot);
        return slot;
    }
    struct told *told = told_of(k);
    if (!told || told->parts + 1 != k->parts) return first + CH_KEYED_OTHERS;
    add_part(env, &told->bytes, &k->part[told->parts], root);
    told->of = NULL;
    return (jint)ch_key_slot(&k->keys, told->bytes.at, told->bytes.n);
}

/* The value was found by code. */
JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_keyOfValue(JNIEnv *env, jclass c, jobject value, jint first) {
    (void)c;
    struct keyed *k = counted(env, first);
    if (!k || k->parts != 1) return first + CH_KEYED_OTHERS;
    struct part part = {.letter = 'L', .sql = k->part[0].sql};
    return slot_of_one(env, k, &part, value);
}

struct ch_way *ch_key_way(JNIEnv *env, uint32_t slot) {
    struct keyed *k = ch_spec_of(&specs, env, (jint)slot);
    return k && k->parts == 1 ? &k->part[0].way : NULL;
}

static char kind_of(char letter) {
    return letter == 'Z' ? CH_VALUE_BOOLEAN : letter == 'C' ? CH_VALUE_CHAR : CH_VALUE_INT;
}

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
