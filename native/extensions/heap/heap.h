/* The loops over a heap dump's bytes and objects, which would take Python minutes; instrument/extensions/heap calls them with
 * numpy's arrays.
 *
 * Nothing here trusts the bytes: each read is within the segment or the file, each number of an object below their
 * number. Functions that need memory return -1 if there is none. An object's number is its position among all objects
 * of the dump; CH_NOBODY stands for none.
 */
#ifndef CH_HEAP_H
#define CH_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* cffi also reads the following. */

enum { CH_NOBODY = 0xffffffff };

/* The sub-records of a heap dump segment that are not roots (HPROF binary format, HEAP DUMP); NODATA is Android's. */
enum ch_object_tag {
    CH_CLASS_DUMP = 0x20,
    CH_INSTANCE_DUMP = 0x21,
    CH_OBJECT_ARRAY_DUMP = 0x22,
    CH_PRIMITIVE_ARRAY_DUMP = 0x23,
    CH_PRIMITIVE_ARRAY_NODATA = 0xc3
};

/* Sub-records as columns. `of`: class of an instance or array, superclass of a class, element type of an array of
 * primitives, the thread or JNI reference of a root; `length`: bytes of an instance, elements of an array, frame of a
 * root; `at`: where fields, elements or the rest of a class are in the file. */
struct ch_records {
    uint8_t *tag;
    uint64_t *id;
    uint64_t *of;
    uint32_t *length;
    uint64_t *at;
};

/* The objects of a dump. `cls`: number of the class of an instance or array, of a class its own. `field_starts`,
 * `fields`: by number of class, where references are in an instance; `ref_starts`, `refs`: by number of class, ids to
 * which the class itself refers; `objects`: by number of class, the class's own object, or CH_NOBODY. `part_...`:
 * flattened values, in the order of the objects that hold them; `part_of`: the object that holds one. */
struct ch_objects {
    uint64_t count;
    const uint8_t *tag;
    const uint64_t *id;
    const uint32_t *cls;
    const uint32_t *length;
    const uint64_t *at;
    const uint64_t *field_starts;
    const uint32_t *fields;
    const uint64_t *ref_starts;
    const uint64_t *refs;
    const uint32_t *objects;
    uint64_t part_count;
    const uint32_t *part_of;
    const uint32_t *part_cls;
    const uint32_t *part_length;
    const uint64_t *part_at;
};

/* From ids to objects: open addressing, `slots` a power of two, more than there are objects. */
struct ch_index {
    const uint64_t *id;
    uint32_t *slot;
    uint64_t slots;
    uint64_t seed; /* odd */
};

/* The references: those of object i go to targets[starts[i] .. starts[i + 1]]. */
struct ch_graph {
    uint64_t count;
    const uint64_t *starts;
    const uint32_t *targets;
    uint64_t root_count;
    const uint32_t *roots;
};

/* Reads sub-records from `from` up to `to`, at most `capacity`; returns their number, and in `next` where it stopped:
 * at `to`; or at the next record, if there is no more room; or else at one that is torn or unknown. */
int64_t ch_heap_records(const uint8_t *data, uint64_t from, uint64_t to, uint32_t id_size,
                        const struct ch_records *into, uint64_t capacity, uint64_t *next);
/* The end of the last sub-record that begins before `to`, which may be beyond it; `to` if one before is torn or
 * unknown. */
uint64_t ch_heap_segment_end(const uint8_t *data, uint64_t from, uint64_t to, uint64_t size, uint32_t id_size);

/* Fills the index with objects 0 .. count - 1; returns how many had the id of another one, which are left out. */
uint64_t ch_heap_index(const struct ch_index *index, uint64_t count);
/* The objects with these ids. */
void ch_heap_find(const struct ch_index *index, const uint64_t *ids, uint64_t count, uint32_t *found);

/* The first element of each of these arrays of objects that is not 0, else 0. */
void ch_heap_first_elements(const uint8_t *data, uint64_t size, uint32_t id_size, const uint64_t *at,
                            const uint32_t *length, uint64_t count, uint64_t *first);

/* The largest possible number of references. */
uint64_t ch_heap_most_references(const struct ch_objects *all);
/* Fills `starts` (count + 1) and `targets`; returns the number of references. Each object refers to its class, and to
 * what its parts refer to. */
uint64_t ch_heap_references(const uint8_t *data, uint64_t size, uint32_t id_size, const struct ch_objects *all,
                            const struct ch_index *index, uint64_t *starts, uint32_t *targets);

/* Immediate dominators; `dominator` has CH_NOBODY for objects that nothing but the roots dominates, and for those out
 * of reach. `order`: those in reach, each after its dominator. Returns their number, or -1. */
int64_t ch_heap_dominators(const struct ch_graph *graph, uint32_t *dominator, uint32_t *order);
/* Adds to each object's size those of all that it dominates. */
void ch_heap_retained(uint64_t reached, const uint32_t *order, const uint32_t *dominator, uint64_t *size);
/* Marks objects in reach that no object of the same class dominates. Returns 0, or -1. */
int64_t ch_heap_topmost(uint64_t count, uint64_t reached, const uint32_t *order, const uint32_t *dominator,
                        const uint32_t *cls, uint64_t classes, uint8_t *topmost);
/* Shortest paths: `parent` of each object on the way from a root; that of a root is itself, CH_NOBODY out of reach.
 * Returns 0, or -1. */
int64_t ch_heap_shortest(const struct ch_graph *graph, uint32_t *parent);

/* Hashes of pieces of the file, with a key, so that two pieces cannot be made to collide on purpose. */
void ch_heap_hashes(const uint8_t *data, uint64_t size, const uint64_t *at, const uint64_t *length, uint64_t count,
                    uint64_t key, uint64_t *hash);

#endif
