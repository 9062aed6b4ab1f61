/* The watch layer: single calls, for rules `watch`. It reads objects by functions of JNI that run no Java; only
 * current_span.c does. */
#ifndef CLASSHOOK_WATCH_H
#define CLASSHOOK_WATCH_H
#include "../events/events.h"
#include "../locks/locks.h"

/* ---- watch_specs.c: what a rule asks for of a method, by the probe's slot */
enum {
    CH_ROOT_THIS = -1,
    CH_ROOT_RESULT = -2,
    CH_ROOT_EXCEPTION = -3,
    CH_ROOT_THREAD = -4,
    CH_ROOT_STATIC = -5,
    CH_ROOT_ELEMENT = -6 /* of the collection that `any` or `all` walks */
}; /* else an argument's number */
enum { CH_KEY_NUMBER = 'i', CH_KEY_STRING = 's', CH_KEY_EACH = 'e' /* of no path: all elements */ };
struct ch_known_field;
struct ch_known_class;
struct ch_step { /* a field, by its name, or an element */
    const char *name;
    char key; /* of an element: CH_KEY_NUMBER, CH_KEY_STRING; else 0 */
    int64_t index;
    jchar *text;
    uint32_t units;
    struct ch_known_field *known; /* of classes that were seen; it only grows */
    struct ch_known_class *classes; /* the same, of collections */
};
struct ch_owner { /* the class of a static field */
    const char *name; /* internal */
    jweak class; /* once it was found */
    uint64_t looked_ns, patience_ns;
};
struct ch_way { /* a root, and steps from there; of a static field, the first step is the field */
    int root;
    bool masked;
    uint32_t steps;
    struct ch_step *step;
    struct ch_owner *owner;
    char *words; /* names of steps and of the owner are parts of it */
};
struct ch_value_seen {
    char kind; /* enum ch_value */
    int64_t number;
    double real;
    jobject object; /* NULL: a field or element of a primitive type; of a boxed number, the box */
    jclass of; /* of an object that is not kept: its class; else NULL */
};
struct ch_constant {
    char kind; /* enum ch_value */
    int64_t number;
    double real;
    jchar *text;
    uint32_t units;
};
enum { CH_ANY_UNITS = 0xFFFF /* in the constant of a pattern: any characters */ };
struct ch_operand { /* a value, a constant, or what is calculated of two: + - * / % */
    char op;
    struct ch_way way;
    struct ch_constant constant;
    struct ch_operand *first, *second;
};
enum { CH_OPERAND_WAY = 0, CH_OPERAND_CONSTANT = 'c' }; /* else the operator */
struct ch_condition {
    /* & or |, of two conditions; or that of a comparison, its first letter, `l` for <=, `g` for >=; `~` and `^`:
     * matches a pattern or not; `t` and `T`: is of a type or not; `E` and `A`: `first` holds for any element of `left`,
     * or for all */
    char op;
    struct ch_condition *first, *second;
    struct ch_operand left, right;
    struct ch_step type; /* instead of `right` */
    struct ch_step each; /* of `E` and `A`: what is known of collections */
};
struct ch_limit { /* of a rule: what it has shown in all its methods */
    char rule[32];
    uint64_t shown, last_ns;
    uint64_t *slowest,
        least_slow_ns; /* the times of the slowest calls, and the shortest of them once there are so many */
    uint32_t slow; /* how many there are */
    bool over; /* it shows no more */
    struct ch_limit *next;
};
struct ch_watch {
    struct ch_limit *limit;
    uint64_t over_ns, first, every_ns;
    uint32_t slowest, frames, ways;
    bool secret_exception, at_end; /* at_end: the condition is about the result, too */
    /* what happens with those that meet it; of those that are only asked for, code goes on by the answer */
    enum { CH_CALLS_SHOWN, CH_CALLS_COUNTED, CH_CALLS_TIMED, CH_CALLS_VALUED, CH_CALLS_ASKED } what;
    bool at_begin; /* all is known then: the end of the call need not be awaited */
    struct ch_way *way;
    struct ch_operand number; /* of CH_CALLS_VALUED; there are no ways then */
    struct ch_condition *condition; /* NULL: code has decided it */
    char result, *types; /* letters of descriptors */
    uint32_t arguments;
    char *class_name,
        *rule; /* the class's signature; `rule`: method, for notes. Of a write, that of the class that it names */
    char *field,
        *declared; /* of a write: the field, and the signature of the class that must declare it, NULL if it does */
};
struct ch_way *ch_way_read(const char *path); /* of a probe's record; malloc'ed; NULL: no memory */
struct ch_operand *ch_operand_read(const char *words); /* likewise */
const struct ch_watch *ch_watch_of(uint32_t slot); /* NULL: it is not a probe of this kind */

/* ---- object_fields.c: fields by name */
bool ch_fields_prepare(JNIEnv *env); /* before the first of all */
/* The value of a field of `object`: the field of this name in the class `first` (a signature) or one of its
 * superclasses, else in another one. */
struct ch_value_seen ch_field_value(JNIEnv *env, jobject object, struct ch_step *step, const char *first);
struct ch_value_seen ch_object_seen(JNIEnv *env, jobject object); /* boxed numbers as numbers */
enum { CH_TYPE_STRING = 's' };
/* True if the field that an access by `first` reaches in this object is declared by a class (signatures). */
bool ch_field_is_of(JNIEnv *env, jobject object, const char *first, const char *name, const char *declared);
char ch_type_letter(const char *descriptor); /* its first letter; of String, which has no subclasses: CH_TYPE_STRING */
struct ch_value_seen ch_typed_seen(JNIEnv *env, jobject object, char letter); /* of this type; numbers are boxed */
struct ch_value_seen ch_boxed_seen(JNIEnv *env, jobject box, char letter); /* of a primitive type, or an object */
/* none if the field is not static */
struct ch_value_seen ch_static_field_value(JNIEnv *env, jclass c, struct ch_step *step);
/* The field that a step means in objects of this class, and its type's letter (ch_type_letter); NULL: there is none,
 * and reports say so. */
jfieldID ch_field_found(JNIEnv *env, jclass c, struct ch_step *step, const char *first, char *letter, bool *is_static);
/* a note about a class that lacks what a rule names */
void ch_say_missing(jclass c, const char *what, const char *name);
jstring ch_name_of_enum(JNIEnv *env, jobject constant);

/* ---- released_objects.c: what an activation's array keeps until its end */
bool ch_released_start(JNIEnv *env);
struct ch_value_seen ch_left_of(JNIEnv *env, jobject element); /* an object, or its class; none: it is gone */

/* ---- collections.c: of the JDK's classes, and arrays */
/* none: the class is not known */
struct ch_value_seen ch_collection_size(JNIEnv *env, jobject o, struct ch_step *step);
bool ch_is_collection(JNIEnv *env, jobject o, struct ch_step *step);
/* The field of a known collection that has its size, or the collection that it wraps. NULL: neither. */
struct ch_step *ch_size_field(JNIEnv *env, jobject o, struct ch_step *step, bool *wrapped);
/* none: it has none, or the class is not known */
struct ch_value_seen ch_element(JNIEnv *env, jobject o, struct ch_step *step);
enum ch_walked {
    CH_WALKED,
    CH_WALKED_A_PART /* there are more than are looked at */,
    CH_WALK_STOPPED,
    CH_WALK_UNKNOWN /* the class is not known */
};
/* Looks at the elements of a collection or an array, at the values of a map, until `look` is false. */
enum ch_walked ch_walk_elements(JNIEnv *env, jobject o, struct ch_step *step,
                                bool (*look)(void *data, const struct ch_value_seen *element), void *data);
bool ch_is_instance(JNIEnv *env, jobject o, struct ch_step *type); /* `type`: its name is an internal one */

/* ---- field_places.c */
/* The place of a step's field in objects of this one's class, and its type: enum ch_place, from bit 8 on the offset.
 * `first`: as for ch_field_value. */
jlong ch_place_of(JNIEnv *env, jobject o, struct ch_step *step, const char *first);

/* ---- values.c */
/* Adds a number to a record of this thread. */
void ch_value_note(JNIEnv *env, jint slot, struct ch_value_seen v);

/* ---- values.c, keys.c: the only way that a probe follows; NULL: it is none of theirs */
struct ch_way *ch_value_way(JNIEnv *env, uint32_t slot);
struct ch_way *ch_key_way(JNIEnv *env, uint32_t slot);

/* ---- static_fields.c */
/* none while the class is not initialised */
struct ch_value_seen ch_static_value(JNIEnv *env, const struct ch_way *way);

/* ---- way_values.c */
struct ch_activation {
    JNIEnv *env;
    jobjectArray kept; /* this, the arguments, when it began */
    jobject value; /* result, boxed, or what was thrown */
    bool ended, threw;
    const struct ch_watch *watch;
    const struct ch_value_seen *element; /* in `any` and `all` */
};
/* The value at the end of a way from this object; fields of the first step from the class `first` on (a signature), or
 * any. */
struct ch_value_seen ch_value_from(JNIEnv *env, jobject root, const struct ch_way *way, const char *first);
struct ch_value_seen ch_way_value(const struct ch_activation *a, const struct ch_way *way);

static inline bool ch_is_none(const struct ch_value_seen *v) {
    return v->kind == CH_VALUE_NONE || v->kind == CH_VALUE_UNSET;
}
static inline bool ch_is_whole(char kind) { return kind == CH_VALUE_INT || kind == CH_VALUE_CHAR; }
static inline bool ch_is_number(char kind) {
    return ch_is_whole(kind) || kind == CH_VALUE_DOUBLE || kind == CH_VALUE_FLOAT;
}

/* ---- calculations.c */
struct ch_value_seen ch_operand_value(const struct ch_activation *a, const struct ch_operand *o);
bool ch_operand_has_root(const struct ch_operand *o, bool (*is)(int root)); /* such a root is in it */

/* ---- watch_conditions.c */
bool ch_condition_holds(const struct ch_activation *a, struct ch_condition *c);

/* ---- current_span.c: of OpenTelemetry */
void ch_spans_start(JNIEnv *env); /* a session begins: looks for what is loaded already */
void ch_span_defined(const char *class_name); /* a class is being defined, which may be such a Span */
struct ch_span_ids ch_current_span(JNIEnv *env); /* that this thread is in. It runs code of the program */

/* ---- watch_records.c: what is shown, in the data file */
bool ch_records_start(void);
void ch_record_add(const struct ch_activation *a, uint32_t slot, uint64_t took_ns);

/* ---- watched_calls.c: the natives */
extern const struct ch_measure ch_measure_watch, ch_measure_contexts, ch_measure_intervals;
#endif
