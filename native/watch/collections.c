/* The sizes of the JDK's own collections, and elements of arrays, lists and maps: read from fields of known classes. No
 * method is called. Other classes have only fields.
 *
 * 1. The facts of a class are asked for once, and kept with the step that asks, by a weak reference to the class.
 * 2. The program may change a collection meanwhile. Each read is safe, and chains are followed for a limited number of
 *    steps.
 */
#include "watch.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 64 /* of a step */, MOST_LINKS = 10000, DEEPEST = 8, DEEPEST_TREE = 64, LONGEST = 512 };

struct ch_known_class {
    jweak of;
    int answer;
    uint32_t n; /* with those behind it */
    struct ch_known_class *next;
};

static const struct ch_value_seen none = {.kind = CH_VALUE_NONE};

static struct ch_value_seen number(int64_t n) {
    return (struct ch_value_seen){.kind = CH_VALUE_INT, .number = n, .real = (double)n};
}

/* ---- what is known of classes */

enum shape {
    OTHER,
    COUNTED, /* `first`: the number of elements, or an object with a field `value` that has it; `second`: an array of
              * them and of null */
    BACKED, /* by an array `second`; `first`: how many of it are used, NULL: all */
    WRAPPER, /* of another collection, `first`; `second`: only its size is the same */
    LINKED, /* a LinkedList */
    PAIR, /* of one or two: `first`, `second` */
    SINGLE, /* of one: `first` */
    EMPTY,
    RING, /* an ArrayDeque */
    HASHED, /* a HashMap */
    SHARED, /* a ConcurrentHashMap */
    OLD, /* a Hashtable */
    SORTED, /* a TreeMap */
    PROBED, /* a map with an array of keys and values, one behind the other */
    ONE_ENTRY, /* a map of one: key `first`, value `second` */
};

struct recipe {
    const char *signature;
    enum shape shape;
    struct ch_step first, second;
};

#define UTIL(name) "Ljava/util/" name ";"
#define OF(field) {.name = field}
static struct recipe recipes[] = {
    {UTIL("ArrayList"), BACKED, OF("size"), OF("elementData")},
    {UTIL("Vector"), BACKED, OF("elementCount"), OF("elementData")},
    {UTIL("Stack"), BACKED, OF("elementCount"), OF("elementData")},
    {UTIL("Arrays$ArrayList"), BACKED, OF(NULL), OF("a")},
    {UTIL("ImmutableCollections$ListN"), BACKED, OF(NULL), OF("elements")},
    {UTIL("concurrent/CopyOnWriteArrayList"), BACKED, OF(NULL), OF("array")},
    {UTIL("concurrent/CopyOnWriteArraySet"), WRAPPER, OF("al"), OF("")},
    {UTIL("ImmutableCollections$List12"), PAIR, OF("e0"), OF("e1")},
    {UTIL("ImmutableCollections$Set12"), PAIR, OF("e0"), OF("e1")},
    {UTIL("ImmutableCollections$SetN"), COUNTED, OF("size"), OF("elements")},
    {UTIL("ImmutableCollections$Map1"), ONE_ENTRY, OF("k0"), OF("v0")},
    {UTIL("ImmutableCollections$MapN"), PROBED, OF("size"), OF("table")},
    {UTIL("LinkedList"), LINKED, OF("size"), OF(NULL)},
    {UTIL("ArrayDeque"), RING, OF("elements"), OF(NULL)},
    {UTIL("PriorityQueue"), COUNTED, OF("size"), OF("queue")},
    {UTIL("concurrent/LinkedBlockingQueue"), COUNTED, OF("count"), OF(NULL)},
    {UTIL("concurrent/LinkedBlockingDeque"), COUNTED, OF("count"), OF(NULL)},
    {UTIL("concurrent/ArrayBlockingQueue"), COUNTED, OF("count"), OF("items")},
    {UTIL("concurrent/PriorityBlockingQueue"), COUNTED, OF("size"), OF("queue")},
    {UTIL("HashMap"), HASHED, OF("size"), OF("table")},
    {UTIL("LinkedHashMap"), HASHED, OF("size"), OF("table")},
    {UTIL("concurrent/ConcurrentHashMap"), SHARED, OF("baseCount"), OF("table")},
    {UTIL("Hashtable"), OLD, OF("count"), OF("table")},
    {UTIL("TreeMap"), SORTED, OF("size"), OF(NULL)},
    {UTIL("WeakHashMap"), COUNTED, OF("size"), OF(NULL)},
    {UTIL("IdentityHashMap"), COUNTED, OF("size"), OF(NULL)},
    {UTIL("EnumMap"), COUNTED, OF("size"), OF(NULL)},
    {UTIL("HashSet"), WRAPPER, OF("map"), OF("")},
    {UTIL("LinkedHashSet"), WRAPPER, OF("map"), OF("")},
    {UTIL("TreeSet"), WRAPPER, OF("m"), OF("")},
    {UTIL("Collections$EmptyList"), EMPTY, OF(NULL), OF(NULL)},
    {UTIL("Collections$EmptySet"), EMPTY, OF(NULL), OF(NULL)},
    {UTIL("Collections$EmptyMap"), EMPTY, OF(NULL), OF(NULL)},
    {UTIL("Collections$SingletonList"), SINGLE, OF("element"), OF(NULL)},
    {UTIL("Collections$SingletonSet"), SINGLE, OF("element"), OF(NULL)},
    {UTIL("Collections$SingletonMap"), ONE_ENTRY, OF("k"), OF("v")},
    {UTIL("Collections$UnmodifiableCollection"), WRAPPER, OF("c"), OF(NULL)},
    {UTIL("Collections$UnmodifiableList"), WRAPPER, OF("c"), OF(NULL)},
    {UTIL("Collections$UnmodifiableRandomAccessList"), WRAPPER, OF("c"), OF(NULL)},
    {UTIL("Collections$UnmodifiableSet"), WRAPPER, OF("c"), OF(NULL)},
    {UTIL("Collections$UnmodifiableMap"), WRAPPER, OF("m"), OF(NULL)},
    {UTIL("Collections$SynchronizedCollection"), WRAPPER, OF("c"), OF(NULL)},
    {UTIL("Collections$SynchronizedList"), WRAPPER, OF("c"), OF(NULL)},
    {UTIL("Collections$SynchronizedRandomAccessList"), WRAPPER, OF("c"), OF(NULL)},
    {UTIL("Collections$SynchronizedSet"), WRAPPER, OF("c"), OF(NULL)},
    {UTIL("Collections$SynchronizedMap"), WRAPPER, OF("m"), OF(NULL)},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

/* The facts of the object's class; `ask` finds them out. */
static int known_of(JNIEnv *env, jclass c, struct ch_step *step,
                    int (*ask)(JNIEnv *env, jclass c, const struct ch_step *step)) {
    struct ch_known_class *head = ch_load_acquire(&step->classes), *k = head, *kept;
    while (k && !(*env)->IsSameObject(env, k->of, c)) k = k->next;
    if (k) return k->answer;
    int answer = ask(env, c, step);
    if ((head && head->n >= MOST_CLASSES) || !(kept = calloc(1, sizeof *kept))) return answer;
    kept->of = (*env)->NewWeakGlobalRef(env, c);
    kept->answer = answer;
    do {
        kept->next = head;
        kept->n = head ? head->n + 1 : 1;
    } while (!ch_replace_acquire(&step->classes, &head, kept));
    return answer;
}

/* One more than its number among the recipes; minus an array's letter; 0: neither. Another loader's class of the same
 * name is none of the JDK's. */
static int shape_of(JNIEnv *env, jclass c, const struct ch_step *step) {
    char *signature = NULL;
    jobject loader = NULL;
    int answer = 0;
    (void)step;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL) || !signature) return 0;
    if (*signature == '[')
        answer = -(unsigned char)signature[1];
    else if (!(*ch_jvmti)->GetClassLoader(ch_jvmti, c, &loader) && !loader)
        for (int i = 0; i < RECIPES && !answer; i++)
            if (!strcmp(recipes[i].signature, signature)) answer = i + 1;
    if (loader) (*env)->DeleteLocalRef(env, loader);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return answer;
}

/* The shape of a class's elements; if it has none, the report says so. */
static int shape_of_elements(JNIEnv *env, jclass c, const struct ch_step *step) {
    int answer = shape_of(env, c, step);
    bool all = step->key == CH_KEY_EACH;
    if (all && answer > 0 && recipes[answer - 1].shape == COUNTED && !recipes[answer - 1].second.name) answer = 0;
    if (!answer) ch_say_missing(c, "elements", all ? "in any or all" : "in brackets");
    return answer;
}

static int shape_of_object(JNIEnv *env, jobject o, struct ch_step *step) {
    jclass c = (*env)->GetObjectClass(env, o);
    int answer = known_of(env, c, step, step->key ? shape_of_elements : shape_of);
    (*env)->DeleteLocalRef(env, c);
    return answer;
}

/* ---- fields of collections */

static struct ch_step to_value = OF("value"), to_key = OF("key"), to_next = OF("next"), to_first = OF("first"),
                      to_item = OF("item"), to_hash = OF("hash"), to_val = OF("val"), to_root = OF("root"),
                      to_left = OF("left"), to_right = OF("right"), to_comparator = OF("comparator"),
                      to_cells = OF("counterCells"), to_head = OF("head"), to_tail = OF("tail"), to_empty = OF("EMPTY");

static struct ch_value_seen field(JNIEnv *env, jobject o, struct ch_step *step) {
    return ch_field_value(env, o, step, NULL);
}
static jobject object_in(JNIEnv *env, jobject o, struct ch_step *step) { return field(env, o, step).object; }

/* Replaces a reference by the object in one of its fields. */
static jobject onward(JNIEnv *env, jobject o, struct ch_step *step) {
    jobject next = object_in(env, o, step);
    (*env)->DeleteLocalRef(env, o);
    return next;
}

static jsize length_of(JNIEnv *env, jobject array) { return array ? (*env)->GetArrayLength(env, array) : 0; }

/* The object that ImmutableCollections has where there is no second element. */
static bool is_empty(JNIEnv *env, jobject o) {
    jclass c = o ? ch_boot_class(env, "java.util.ImmutableCollections") : NULL;
    struct ch_value_seen v = c ? ch_static_field_value(env, c, &to_empty) : none;
    if (c) (*env)->DeleteLocalRef(env, c);
    return v.object && (*env)->IsSameObject(env, v.object, o);
}

/* ---- sizes */

static struct ch_value_seen size_at(JNIEnv *env, jobject o, struct ch_step *step, int depth);

static struct ch_value_seen counted(JNIEnv *env, jobject o, struct recipe *r) {
    struct ch_value_seen v = field(env, o, &r->first);
    return v.kind == CH_VALUE_OBJECT ? field(env, v.object, &to_value) : v;
}

static struct ch_value_seen shared_size(JNIEnv *env, jobject o, struct recipe *r) {
    jobjectArray cells = object_in(env, o, &to_cells);
    int64_t n = field(env, o, &r->first).number;
    for (jsize i = 0; i < length_of(env, cells); i++) {
        jobject cell = (*env)->GetObjectArrayElement(env, cells, i);
        if (!cell) continue;
        n += field(env, cell, &to_value).number;
        (*env)->DeleteLocalRef(env, cell);
    }
    return number(n < 0 ? 0 : n);
}

static struct ch_value_seen size_of(JNIEnv *env, jobject o, struct recipe *r, struct ch_step *step, int depth) {
    jobject inner;
    int64_t used;
    switch (r->shape) {
    case BACKED:
        return r->first.name ? field(env, o, &r->first) : number(length_of(env, object_in(env, o, &r->second)));
    case WRAPPER: return (inner = object_in(env, o, &r->first)) ? size_at(env, inner, step, depth + 1) : none;
    case PAIR: return number(is_empty(env, object_in(env, o, &r->second)) ? 1 : 2);
    case SINGLE:
    case ONE_ENTRY: return number(1);
    case EMPTY: return number(0);
    case RING:
        used = field(env, o, &to_tail).number - field(env, o, &to_head).number;
        return number(used < 0 ? used + length_of(env, object_in(env, o, &r->first)) : used);
    case SHARED: return shared_size(env, o, r);
    default: return counted(env, o, r);
    }
}

static struct ch_value_seen size_at(JNIEnv *env, jobject o, struct ch_step *step, int depth) {
    int shape = depth < DEEPEST ? shape_of_object(env, o, step) : 0;
    return shape > 0 ? size_of(env, o, &recipes[shape - 1], step, depth) : none;
}

struct ch_value_seen ch_collection_size(JNIEnv *env, jobject o, struct ch_step *step) {
    return size_at(env, o, step, 0);
}

bool ch_is_collection(JNIEnv *env, jobject o, struct ch_step *step) { return shape_of_object(env, o, step) > 0; }

struct ch_step *ch_size_field(JNIEnv *env, jobject o, struct ch_step *step, bool *wrapped) {
    int shape = shape_of_object(env, o, step);
    struct recipe *r = shape > 0 ? &recipes[shape - 1] : NULL;
    *wrapped = r && r->shape == WRAPPER;
    bool kept = r && r->first.name && r->shape != PAIR && r->shape != SINGLE && r->shape != ONE_ENTRY &&
                r->shape != RING && r->shape != SHARED;
    return kept ? &r->first : NULL;
}

/* ---- elements by number */

static struct ch_value_seen of_numbers(JNIEnv *env, jarray a, jsize i, char letter) {
    jvalue v = {0};
    switch (letter) {
    case 'Z':
        return (*env)->GetBooleanArrayRegion(env, a, i, 1, &v.z),
               (struct ch_value_seen){.kind = CH_VALUE_BOOLEAN, .number = v.z};
    case 'B': return (*env)->GetByteArrayRegion(env, a, i, 1, &v.b), number(v.b);
    case 'C':
        return (*env)->GetCharArrayRegion(env, a, i, 1, &v.c),
               (struct ch_value_seen){.kind = CH_VALUE_CHAR, .number = v.c, .real = v.c};
    case 'S': return (*env)->GetShortArrayRegion(env, a, i, 1, &v.s), number(v.s);
    case 'I': return (*env)->GetIntArrayRegion(env, a, i, 1, &v.i), number(v.i);
    case 'J': return (*env)->GetLongArrayRegion(env, a, i, 1, &v.j), number(v.j);
    case 'F':
        return (*env)->GetFloatArrayRegion(env, a, i, 1, &v.f),
               (struct ch_value_seen){.kind = CH_VALUE_FLOAT, .real = (double)v.f};
    default:
        return (*env)->GetDoubleArrayRegion(env, a, i, 1, &v.d),
               (struct ch_value_seen){.kind = CH_VALUE_DOUBLE, .real = v.d};
    }
}

static struct ch_value_seen of_array(JNIEnv *env, jarray a, int64_t i, char letter) {
    if (!a || i >= (*env)->GetArrayLength(env, a)) return none;
    if (letter != 'L' && letter != '[') return of_numbers(env, a, (jsize)i, letter);
    return ch_object_seen(env, (*env)->GetObjectArrayElement(env, a, (jsize)i));
}

static struct ch_value_seen of_linked(JNIEnv *env, jobject list, int64_t i) {
    jobject node = i < MOST_LINKS ? object_in(env, list, &to_first) : NULL;
    for (; node && i; i--) node = onward(env, node, &to_next);
    return node ? field(env, node, &to_item) : none;
}

/* ---- values of maps */

static int32_t hash_of(const struct ch_step *step) {
    uint32_t h = 0;
    if (step->key == CH_KEY_NUMBER) return (int32_t)step->index; /* of each of the wrapper classes */
    for (uint32_t i = 0; i < step->units; i++) h = 31 * h + step->text[i];
    return (int32_t)h;
}

/* Below, equal, above the key of an entry, as Java orders them; false: they cannot be compared. */
static bool compared(JNIEnv *env, const struct ch_step *step, const struct ch_value_seen *key, int *order) {
    if (step->key == CH_KEY_NUMBER) {
        *order = (step->index > key->number) - (step->index < key->number);
        return key->kind == CH_VALUE_INT;
    }
    if (key->kind != CH_VALUE_STRING) return false;
    jsize n = (*env)->GetStringLength(env, key->object);
    for (jsize i = 0; i < n && (uint32_t)i < step->units; i++) {
        jchar unit;
        (*env)->GetStringRegion(env, key->object, i, 1, &unit);
        if ((*order = (step->text[i] > unit) - (step->text[i] < unit))) return true;
    }
    *order = (step->units > (uint32_t)n) - (step->units < (uint32_t)n);
    return true;
}

static bool is_key(JNIEnv *env, const struct ch_step *step, const struct ch_value_seen *key) {
    int order = 1;
    return compared(env, step, key, &order) && !order;
}

/* The value in a chain of entries. A map has no value for a key that it has not: null. */
static struct ch_value_seen in_chain(JNIEnv *env, jobject node, const struct ch_step *step, struct ch_step *value) {
    for (int i = 0; node && i < MOST_LINKS; i++) {
        struct ch_value_seen key = field(env, node, &to_key);
        bool found = is_key(env, step, &key);
        if (key.object) (*env)->DeleteLocalRef(env, key.object);
        if (found) return field(env, node, value);
        node = onward(env, node, &to_next);
    }
    return (struct ch_value_seen){.kind = node ? CH_VALUE_NONE : CH_VALUE_NULL};
}

static jobject bucket(JNIEnv *env, jobjectArray table, uint32_t i) {
    return (*env)->GetObjectArrayElement(env, table, (jsize)i);
}

/* The first entry of a bucket; NULL: its table is being replaced. */
static jobject entries_of(JNIEnv *env, jobject node) {
    char name[LONGEST];
    if (field(env, node, &to_hash).number >= 0) return node;
    jclass c = (*env)->GetObjectClass(env, node);
    bool tree = ch_name_of_class(c, name, sizeof name) && strstr(name, "$TreeBin");
    (*env)->DeleteLocalRef(env, c);
    return tree ? onward(env, node, &to_first) : NULL;
}

static struct ch_value_seen in_shared(JNIEnv *env, jobject node, const struct ch_step *step) {
    if (node && !(node = entries_of(env, node))) return none;
    return in_chain(env, node, step, &to_val);
}

static struct ch_value_seen in_sorted(JNIEnv *env, jobject map, const struct ch_step *step) {
    if (object_in(env, map, &to_comparator)) return none; /* its order is the program's */
    jobject node = object_in(env, map, &to_root);
    for (int i = 0; node && i < MOST_LINKS; i++) {
        int order = 0;
        struct ch_value_seen key = field(env, node, &to_key);
        if (!compared(env, step, &key, &order)) return none;
        if (!order) return field(env, node, &to_value);
        node = onward(env, node, order < 0 ? &to_left : &to_right);
    }
    return (struct ch_value_seen){.kind = CH_VALUE_NULL};
}

static struct ch_value_seen in_probed(JNIEnv *env, jobjectArray table, const struct ch_step *step) {
    jsize n = length_of(env, table) / 2;
    int64_t at = n ? (int64_t)hash_of(step) % n : 0;
    for (jsize i = 0; i < n; i++, at++) {
        if (at < 0) at += n;
        if (at >= n) at -= n;
        struct ch_value_seen key = ch_object_seen(env, (*env)->GetObjectArrayElement(env, table, (jsize)(2 * at)));
        if (key.kind == CH_VALUE_NULL) break;
        if (is_key(env, step, &key))
            return ch_object_seen(env, (*env)->GetObjectArrayElement(env, table, (jsize)(2 * at + 1)));
        if (key.object) (*env)->DeleteLocalRef(env, key.object);
    }
    return (struct ch_value_seen){.kind = CH_VALUE_NULL};
}

static struct ch_value_seen in_table(JNIEnv *env, jobject map, struct recipe *r, const struct ch_step *step) {
    jobjectArray table = object_in(env, map, &r->second);
    uint32_t n = (uint32_t)length_of(env, table), h = (uint32_t)hash_of(step);
    if (!n) return (struct ch_value_seen){.kind = CH_VALUE_NULL};
    switch (r->shape) {
    case OLD: return in_chain(env, bucket(env, table, (h & 0x7FFFFFFF) % n), step, &to_value);
    case SHARED: return in_shared(env, bucket(env, table, (h ^ h >> 16) & 0x7FFFFFFF & (n - 1)), step);
    default: return in_chain(env, bucket(env, table, (h ^ h >> 16) & (n - 1)), step, &to_value);
    }
}

/* ---- elements */

static struct ch_value_seen element_at(JNIEnv *env, jobject o, struct ch_step *step, int depth);

static struct ch_value_seen element_of(JNIEnv *env, jobject o, struct recipe *r, struct ch_step *step, int depth) {
    bool numbered = step->key == CH_KEY_NUMBER;
    struct ch_value_seen key;
    jobject inner;
    switch (r->shape) {
    case BACKED:
        if (!numbered || (r->first.name && step->index >= field(env, o, &r->first).number)) return none;
        return of_array(env, object_in(env, o, &r->second), step->index, 'L');
    case WRAPPER:
        return (inner = r->second.name ? NULL : object_in(env, o, &r->first)) ? element_at(env, inner, step, depth + 1)
                                                                              : none;
    case LINKED: return numbered ? of_linked(env, o, step->index) : none;
    case SINGLE: return numbered && !step->index ? field(env, o, &r->first) : none;
    case PAIR:
        if (!numbered || step->index > 1 || (step->index && is_empty(env, object_in(env, o, &r->second)))) return none;
        return field(env, o, step->index ? &r->second : &r->first);
    case ONE_ENTRY:
        key = field(env, o, &r->first);
        return is_key(env, step, &key) ? field(env, o, &r->second) : (struct ch_value_seen){.kind = CH_VALUE_NULL};
    case SORTED: return in_sorted(env, o, step);
    case PROBED: return in_probed(env, object_in(env, o, &r->second), step);
    case HASHED:
    case SHARED:
    case OLD: return in_table(env, o, r, step);
    default: return none;
    }
}

static struct ch_value_seen element_at(JNIEnv *env, jobject o, struct ch_step *step, int depth) {
    int shape = depth < DEEPEST ? shape_of_object(env, o, step) : 0;
    if (shape < 0) return step->key == CH_KEY_NUMBER ? of_array(env, o, step->index, (char)-shape) : none;
    return shape ? element_of(env, o, &recipes[shape - 1], step, depth) : none;
}

struct ch_value_seen ch_element(JNIEnv *env, jobject o, struct ch_step *step) { return element_at(env, o, step, 0); }

/* ---- all elements */

enum { MOST_ELEMENTS = 1000, MOST_PLACES = 1 << 16 /* in a table */ };

struct walk {
    JNIEnv *env;
    struct ch_step *step;
    bool (*look)(void *data, const struct ch_value_seen *element);
    void *data;
    uint32_t seen, places;
    bool keys; /* of a map, not its values */
    enum ch_walked end;
};

/* Each of these is false if the walk is over. */

static bool end(struct walk *w, enum ch_walked how) {
    w->end = how;
    return false;
}

static bool visit(struct walk *w, struct ch_value_seen v) {
    bool more = w->seen < MOST_ELEMENTS;
    if (!more)
        end(w, CH_WALKED_A_PART);
    else if (w->seen++, !w->look(w->data, &v))
        more = end(w, CH_WALK_STOPPED);
    if (v.object) (*w->env)->DeleteLocalRef(w->env, v.object);
    return more;
}

static bool is_far(struct walk *w) { return w->places++ >= MOST_PLACES; }

/* From one place on, `n` of an array; `holes`: null is none of them. */
static bool walk_array(struct walk *w, jobject a, int64_t from, int64_t n, char letter, bool holes) {
    int64_t length = length_of(w->env, a);
    for (int64_t i = 0; i < n && i < length; i++) {
        struct ch_value_seen v = of_array(w->env, a, (from + i) % length, letter);
        if (is_far(w)) return end(w, CH_WALKED_A_PART);
        if (!(holes && v.kind == CH_VALUE_NULL) && !visit(w, v)) return false;
    }
    return true;
}

static bool walk_chain(struct walk *w, jobject node, struct ch_step *item) {
    bool more = true;
    while (node && more) {
        more = is_far(w) ? end(w, CH_WALKED_A_PART) : visit(w, field(w->env, node, item));
        node = onward(w->env, node, &to_next);
    }
    if (node) (*w->env)->DeleteLocalRef(w->env, node);
    return more;
}

/* A table that is being replaced has other places, too. */
static bool walk_bucket(struct walk *w, jobject node, enum shape shape) {
    struct ch_step *value = shape == SHARED ? &to_val : &to_value;
    if (node && shape == SHARED && !(node = entries_of(w->env, node))) return end(w, CH_WALKED_A_PART);
    return walk_chain(w, node, w->keys ? &to_key : value);
}

static bool walk_table(struct walk *w, jobjectArray table, enum shape shape) {
    for (jsize i = 0; i < length_of(w->env, table); i++)
        if (is_far(w) || !walk_bucket(w, bucket(w->env, table, (uint32_t)i), shape))
            return w->end == CH_WALKED ? end(w, CH_WALKED_A_PART) : false;
    return true;
}

static bool walk_tree(struct walk *w, jobject node, int depth) {
    if (!node) return true;
    if (depth > DEEPEST_TREE || is_far(w)) return end(w, CH_WALKED_A_PART);
    jobject left = object_in(w->env, node, &to_left), right = object_in(w->env, node, &to_right);
    bool more = walk_tree(w, left, depth + 1) && visit(w, field(w->env, node, w->keys ? &to_key : &to_value)) &&
                walk_tree(w, right, depth + 1);
    if (left) (*w->env)->DeleteLocalRef(w->env, left);
    if (right) (*w->env)->DeleteLocalRef(w->env, right);
    return more;
}

/* Keys and values, one behind the other. */
static bool walk_pairs(struct walk *w, jobjectArray table) {
    for (jsize i = 0; i + 1 < length_of(w->env, table); i += 2) {
        struct ch_value_seen key = of_array(w->env, table, i, 'L');
        if (is_far(w)) return end(w, CH_WALKED_A_PART);
        if (key.kind == CH_VALUE_NULL) continue;
        if (!visit(w, w->keys ? key : of_array(w->env, table, i + 1, 'L'))) return false;
    }
    return true;
}

static bool walk(struct walk *w, jobject o, int depth);

static bool walk_shape(struct walk *w, jobject o, struct recipe *r, int depth) {
    JNIEnv *env = w->env;
    jobject inner;
    int64_t n;
    switch (r->shape) {
    case BACKED:
        inner = object_in(env, o, &r->second);
        n = r->first.name ? field(env, o, &r->first).number : length_of(env, inner);
        return walk_array(w, inner, 0, n, 'L', false);
    case COUNTED:
        inner = object_in(env, o, &r->second);
        return walk_array(w, inner, 0, length_of(env, inner), 'L', true);
    case WRAPPER:
        w->keys |= r->second.name != NULL; /* a set is the keys of a map */
        return (inner = object_in(env, o, &r->first)) ? walk(w, inner, depth + 1) : end(w, CH_WALK_UNKNOWN);
    case LINKED: return walk_chain(w, object_in(env, o, &to_first), &to_item);
    case PAIR:
        inner = object_in(env, o, &r->second);
        return visit(w, field(env, o, &r->first)) && (is_empty(env, inner) || visit(w, ch_object_seen(env, inner)));
    case SINGLE: return visit(w, field(env, o, &r->first));
    case EMPTY: return true;
    case RING:
        inner = object_in(env, o, &r->first);
        n = field(env, o, &to_tail).number - field(env, o, &to_head).number;
        return walk_array(w, inner, field(env, o, &to_head).number, n < 0 ? n + length_of(env, inner) : n, 'L', false);
    case HASHED:
    case SHARED:
    case OLD: return walk_table(w, object_in(env, o, &r->second), r->shape);
    case SORTED: return walk_tree(w, object_in(env, o, &to_root), 0);
    case PROBED: return walk_pairs(w, object_in(env, o, &r->second));
    case ONE_ENTRY: return visit(w, field(env, o, w->keys ? &r->first : &r->second));
    default: return end(w, CH_WALK_UNKNOWN);
    }
}

static bool walk(struct walk *w, jobject o, int depth) {
    int shape = depth < DEEPEST ? shape_of_object(w->env, o, w->step) : 0;
    if (!shape) return end(w, CH_WALK_UNKNOWN);
    if (shape < 0) return walk_array(w, o, 0, length_of(w->env, o), (char)-shape, false);
    return walk_shape(w, o, &recipes[shape - 1], depth);
}

enum ch_walked ch_walk_elements(JNIEnv *env, jobject o, struct ch_step *step,
                                bool (*look)(void *data, const struct ch_value_seen *element), void *data) {
    struct walk w = {.env = env, .step = step, .look = look, .data = data, .end = CH_WALKED};
    walk(&w, o, 0);
    return w.end;
}

/* ---- instanceof */

static bool has_type(JNIEnv *env, jclass c, const char *wanted, int depth) {
    char name[LONGEST];
    jclass *above = NULL, super;
    jint n = 0;
    if (depth > 100) return false;
    if (ch_name_of_class(c, name, sizeof name) && !strcmp(name, wanted)) return true;
    super = (*env)->GetSuperclass(env, c);
    bool yes = super && has_type(env, super, wanted, depth + 1);
    if (super) (*env)->DeleteLocalRef(env, super);
    if (yes || (*ch_jvmti)->GetImplementedInterfaces(ch_jvmti, c, &n, &above)) return yes;
    for (jint i = 0; i < n; i++) {
        yes = yes || has_type(env, above[i], wanted, depth + 1);
        (*env)->DeleteLocalRef(env, above[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)above);
    return yes;
}

static int type_of(JNIEnv *env, jclass c, const struct ch_step *step) { return has_type(env, c, step->name, 0); }

bool ch_is_instance(JNIEnv *env, jobject o, struct ch_step *type) {
    jclass c = (*env)->GetObjectClass(env, o);
    bool yes = known_of(env, c, type, type_of);
    (*env)->DeleteLocalRef(env, c);
    return yes;
}
