/* Sums that tell whether objects, and all that they refer to, are still the same: which object refers to which, and the
 * numbers in them.
 *
 * 1. Fields are read by JNI, while other threads run. FollowReferences of JVMTI would stop them, and on JVMs before 19
 *    takes a time that grows with the whole heap.
 * 2. Each object keeps the number that it gets when it is first met: a tag in an environment of its own. The tag of a
 *    class is the address of its struct kind.
 * 3. A sum is the same in whichever order objects are met.
 * 4. Views that a collection makes of itself when first asked, such as the set of a map's keys, do not count.
 */
#include "embedded.h"
#include <stdlib.h>
#include <string.h>

enum { STATIC = 8, MOST_OBJECTS = 200000 };

enum nature {
    FOLLOWED,
    AS_ONE, /* nothing in it changes that a program could see */
    UNKNOWN /* it has state that is not in its fields: a thread's own, native memory */
};

struct part {
    jfieldID field;
    char letter; /* of its descriptor */
};

struct kind { /* of the objects of a class */
    bool is_known; /* all that follows is; a class may not be prepared yet that has no objects */
    enum nature nature;
    char element; /* of an array: the letter of its elements; else 0 */
    bool of_classes; /* they are classes */
    size_t n;
    struct part *parts;
};

struct walk {
    JNIEnv *env;
    uint64_t sum;
    uint32_t number, objects;
    bool is_unknown;
    jobject *todo; /* local references */
    struct kind **kinds;
    jlong *ids;
    size_t n, room;
};

static jvmtiEnv *own;
static jlong last; /* the number given last */
static uint32_t *seen; /* by an object's number, the last walk that met it */
static size_t seen_room;
static uint32_t walks;

static uint64_t mixed(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t x = a * 0x9E3779B97F4A7C15u ^ (b + 0xD1B54A32D192ED03u) * 0xBF58476D1CE4E5B9u ^ c * 0x94D049BB133111EBu;
    x = (x ^ x >> 31) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 29;
}

static uint64_t mixed_bytes(const void *bytes, size_t n) {
    uint64_t sum = n;
    for (size_t i = 0; i < n; i += sizeof sum) {
        uint64_t part = 0;
        memcpy(&part, (const char *)bytes + i, n - i < sizeof part ? n - i : sizeof part);
        sum = (sum ^ part) * 0x9E3779B97F4A7C15u;
        sum ^= sum >> 32;
    }
    return sum;
}

/* ---- classes */

/* Not their subclasses, which may have fields of their own. */
static const char *const as_one[] = {"Ljava/lang/String;",        "Ljava/lang/Class;",  "Ljava/math/BigInteger;",
                                     "Ljava/math/BigDecimal;",    "Ljava/util/Locale;", "Ljava/util/UUID;",
                                     "Ljava/util/Currency;",      "Ljava/net/URI;",     "Ljava/net/URL;",
                                     "Ljava/util/regex/Pattern;", "Ljava/io/File;",     "Ljava/lang/Module;",
                                     "Ljava/lang/Package;"};
static const char *const times = "Ljava/time/";
static const char *const changing_times[] = {"Ljava/time/Clock", "Ljava/time/InstantSource",
                                             "Ljava/time/format/DateTimeFormatterBuilder"}; /* beginnings */
static const char *const unknown[] = {"Ljava/lang/ThreadLocal;", "Ljava/lang/ClassValue;"};
/* They have native methods, but no state outside of their fields. */
static const char *const harmless[] = {"Ljava/lang/Object;",        "Ljava/lang/Throwable;",
                                       "Ljava/util/TimeZone;",      "Ljava/util/concurrent/atomic/AtomicLong;",
                                       "Ljava/lang/ref/Reference;", "Ljava/lang/Float;",
                                       "Ljava/lang/Double;"};
/* Fields that do not count: class, name. */
static const char *const own_views[][2] = {{"Ljava/util/AbstractMap;", "keySet"},
                                           {"Ljava/util/AbstractMap;", "values"},
                                           {"Ljava/util/HashMap;", "entrySet"},
                                           {"Ljava/util/TreeMap;", "entrySet"},
                                           {"Ljava/util/TreeMap;", "navigableKeySet"},
                                           {"Ljava/util/TreeMap;", "descendingMap"},
                                           {"Ljava/util/EnumMap;", "entrySet"},
                                           {"Ljava/util/IdentityHashMap;", "entrySet"},
                                           {"Ljava/util/Hashtable;", "keySet"},
                                           {"Ljava/util/Hashtable;", "entrySet"},
                                           {"Ljava/util/Hashtable;", "values"},
                                           {"Ljava/util/concurrent/ConcurrentHashMap;", "keySet"},
                                           {"Ljava/util/concurrent/ConcurrentHashMap;", "values"},
                                           {"Ljava/util/concurrent/ConcurrentHashMap;", "entrySet"},
                                           {"Ljava/lang/Enum;", "hash"}};

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define IS_ONE_OF(name, names) is_one_of(name, names, LENGTH(names))
static bool is_one_of(const char *name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

static bool is_own_view(const char *class, const char *field) {
    for (size_t i = 0; i < LENGTH(own_views); i++)
        if (!strcmp(class, own_views[i][0]) && !strcmp(field, own_views[i][1])) return true;
    return false;
}

static bool has_native_methods(jclass c) {
    jint n = 0;
    jmethodID *methods = NULL;
    bool has = (*own)->GetClassMethods(own, c, &n, &methods) != JVMTI_ERROR_NONE;
    for (jint i = 0; i < n && !has; i++) {
        jboolean native = JNI_FALSE;
        has = !(*own)->IsMethodNative(own, methods[i], &native) && native;
    }
    if (methods) (void)(*own)->Deallocate(own, (unsigned char *)methods);
    return has;
}

/* Adds a field behind the `n` that are there; false: nothing is known of it. */
static bool add_part(struct part *parts, size_t *n, jclass c, const char *class, jfieldID field) {
    jint modifiers = 0;
    char *name = NULL, *signature = NULL;
    if ((*own)->GetFieldModifiers(own, c, field, &modifiers)) return false;
    if (modifiers & STATIC) return true;
    if ((*own)->GetFieldName(own, c, field, &name, &signature, NULL)) return false;
    if (!is_own_view(class, name)) parts[(*n)++] = (struct part){field, *signature};
    (void)(*own)->Deallocate(own, (unsigned char *)name);
    (void)(*own)->Deallocate(own, (unsigned char *)signature);
    return true;
}

/* Adds the class's own fields to those of its superclass, if `above` is not NULL; false: they are not known. */
static bool add_parts(struct kind *k, const struct kind *above, jclass c, const char *class) {
    jint count = 0;
    jfieldID *fields = NULL;
    size_t n = above ? above->n : 0;
    if ((*own)->GetClassFields(own, c, &count, &fields)) return false;
    struct part *parts = calloc(n + (size_t)count + 1, sizeof *parts);
    bool known = parts != NULL;
    if (parts && n) memcpy(parts, above->parts, n * sizeof *parts);
    for (jint i = 0; i < count && known; i++) known = add_part(parts, &n, c, class, fields[i]);
    (void)(*own)->Deallocate(own, (unsigned char *)fields);
    k->parts = parts;
    k->n = known ? n : 0;
    return known;
}

static struct kind *known_kind(JNIEnv *env, jclass c);

static void describe(JNIEnv *env, struct kind *k, jclass c, const char *name) {
    if (name[0] == '[') {
        k->element = name[1];
        return;
    }
    bool one = IS_ONE_OF(name, as_one) || !strncmp(name, times, strlen(times));
    for (size_t i = 0; i < LENGTH(changing_times); i++)
        one &= strncmp(name, changing_times[i], strlen(changing_times[i])) != 0;
    k->of_classes = !strcmp(name, "Ljava/lang/Class;");
    k->nature = one ? AS_ONE : IS_ONE_OF(name, unknown) ? UNKNOWN : FOLLOWED;
    jclass super = (*env)->GetSuperclass(env, c);
    struct kind *above = super ? known_kind(env, super) : NULL;
    if (super && (!above || above->nature == UNKNOWN)) k->nature = UNKNOWN;
    if (super) (*env)->DeleteLocalRef(env, super);
    if (k->nature == FOLLOWED && !IS_ONE_OF(name, harmless) && has_native_methods(c)) k->nature = UNKNOWN;
    if (k->nature != UNKNOWN && !add_parts(k, above, c, name)) k->nature = UNKNOWN;
}

/* The number of a class, the address of its kind; NULL: there is no memory. */
static struct kind *kind_of(jclass c) {
    jlong tag = 0;
    if (!(*own)->GetTag(own, c, &tag) && tag) return (struct kind *)(intptr_t)tag;
    struct kind *k = calloc(1, sizeof *k);
    if (k && (*own)->SetTag(own, c, (jlong)(intptr_t)k)) {
        free(k);
        return NULL;
    }
    return k;
}

/* What is known of the objects of a class that has some. */
static struct kind *known_kind(JNIEnv *env, jclass c) {
    char *name = NULL;
    struct kind *k = kind_of(c);
    if (!k || k->is_known) return k;
    if ((*own)->GetClassSignature(own, c, &name, NULL)) return NULL;
    describe(env, k, c, name);
    k->is_known = true;
    (void)(*own)->Deallocate(own, (unsigned char *)name);
    return k;
}

/* ---- objects */

/* An object's number; 0: it can have none, as it has no identity. */
static jlong number_of(jobject o) {
    jlong tag = 0;
    if ((*own)->GetTag(own, o, &tag)) return 0;
    if (tag) return tag;
    return (*own)->SetTag(own, o, ++last) ? 0 : last;
}

/* Whether this walk has not met it before. */
static bool is_first(const struct walk *w, jlong id) {
    if ((size_t)id >= seen_room) {
        size_t more = (size_t)id * 2 + 1024;
        uint32_t *larger = realloc(seen, more * sizeof *larger);
        if (!larger) return false;
        memset(larger + seen_room, 0, (more - seen_room) * sizeof *larger);
        seen = larger;
        seen_room = more;
    }
    if (seen[id] == w->number) return false;
    seen[id] = w->number;
    return true;
}

static bool has_room(struct walk *w) {
    if (w->n < w->room) return true;
    size_t more = w->room * 2 + 256;
    jobject *todo = realloc(w->todo, more * sizeof *todo);
    if (todo) w->todo = todo;
    struct kind **kinds = realloc(w->kinds, more * sizeof *kinds);
    if (kinds) w->kinds = kinds;
    jlong *ids = realloc(w->ids, more * sizeof *ids);
    if (ids) w->ids = ids;
    if (todo && kinds && ids && ch_local_room(w->env, (jint)more + 64)) w->room = more;
    return w->n < w->room;
}

/* Meets an object, a local reference, which the walk keeps or deletes. */
static void meet(struct walk *w, jobject o, uint64_t from, uint64_t index) {
    JNIEnv *env = w->env;
    if (!o) return;
    jclass c = (*env)->GetObjectClass(env, o);
    struct kind *k = known_kind(env, c);
    jlong id = !k ? 0 : k->of_classes ? (jlong)(intptr_t)kind_of(o) : number_of(o);
    (*env)->DeleteLocalRef(env, c);
    w->sum += mixed(from, index, (uint64_t)id);
    if (!id || k->nature == UNKNOWN || ++w->objects > MOST_OBJECTS) w->is_unknown = true;
    if (!w->is_unknown && k->nature == FOLLOWED && is_first(w, id)) {
        if (has_room(w)) {
            w->todo[w->n] = o, w->kinds[w->n] = k, w->ids[w->n++] = id;
            return;
        }
        w->is_unknown = true;
    }
    (*env)->DeleteLocalRef(env, o);
}

static size_t size_of(char letter) {
    return letter == 'J' || letter == 'D'   ? 8
           : letter == 'I' || letter == 'F' ? 4
           : letter == 'S' || letter == 'C' ? 2
                                            : 1;
}

static void follow_array(struct walk *w, jarray array, char element, uint64_t id) {
    JNIEnv *env = w->env;
    jsize n = (*env)->GetArrayLength(env, array);
    if (ch_refers(element)) {
        w->sum += mixed(id, 0, (uint64_t)n);
        for (jsize i = 0; i < n && !w->is_unknown; i++)
            meet(w, (*env)->GetObjectArrayElement(env, array, i), id, (uint64_t)i + 1);
        return;
    }
    void *elements = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    if (elements) w->sum += mixed(id, (uint64_t)n, mixed_bytes(elements, (size_t)n * size_of(element)));
    if (elements) (*env)->ReleasePrimitiveArrayCritical(env, array, elements, JNI_ABORT);
    w->is_unknown |= !elements;
}

static uint64_t number_in(JNIEnv *env, jobject o, const struct part *p) {
    jvalue v = {.j = 0};
    switch (p->letter) {
    case 'Z': v.z = (*env)->GetBooleanField(env, o, p->field); break;
    case 'B': v.b = (*env)->GetByteField(env, o, p->field); break;
    case 'C': v.c = (*env)->GetCharField(env, o, p->field); break;
    case 'S': v.s = (*env)->GetShortField(env, o, p->field); break;
    case 'I': v.i = (*env)->GetIntField(env, o, p->field); break;
    case 'F': v.f = (*env)->GetFloatField(env, o, p->field); break;
    case 'J': v.j = (*env)->GetLongField(env, o, p->field); break;
    default: v.d = (*env)->GetDoubleField(env, o, p->field); break;
    }
    return (uint64_t)v.j;
}

static void follow(struct walk *w, jobject o, const struct kind *k, uint64_t id) {
    JNIEnv *env = w->env;
    if (k->element) follow_array(w, o, k->element, id);
    for (size_t i = 0; i < k->n && !w->is_unknown; i++) {
        if (ch_refers(k->parts[i].letter))
            meet(w, (*env)->GetObjectField(env, o, k->parts[i].field), id, i);
        else
            w->sum += mixed(id, i, number_in(env, o, &k->parts[i]));
    }
}

static bool prepare(void) { return own || (own = ch_own_tags()); }

/* Follows all that is to do, and deletes the references. */
static bool finished(struct walk *w) {
    while (w->n) {
        jobject o = w->todo[--w->n];
        struct kind *k = w->kinds[w->n];
        jlong id = w->ids[w->n];
        if (!w->is_unknown) follow(w, o, k, (uint64_t)id);
        (*w->env)->DeleteLocalRef(w->env, o);
    }
    free(w->todo);
    free(w->kinds);
    free(w->ids);
    return !w->is_unknown;
}

bool ch_graph_sum(JNIEnv *env, jobject (*root)(JNIEnv *env, size_t i, const void *of), const void *of, size_t n,
                  uint64_t *sum) {
    struct walk w = {.env = env, .number = ++walks};
    if (!prepare() || !ch_local_room(env, 64)) return false;
    for (size_t i = 0; i < n && !w.is_unknown; i++) meet(&w, root(env, i, of), 0, i);
    bool known = finished(&w);
    *sum = w.sum;
    return known;
}
