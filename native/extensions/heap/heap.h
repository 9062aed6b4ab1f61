/* The loops over a heap dump's bytes and objects, which would take Python minutes; instrument/extensions/heap calls them with
 * numpy's arrays.
 *
 * Nothing here trusts the bytes: each read is within the segment or the file, each number of an object below their
 * number. Functions that need memory return -1 if there is none. An object's number is its position among all objects
 * of the dump; CH_NOBODY stands for none. CH_TOP stands for the dominator of what nothing but the roots dominates.
 */
#ifndef CH_HEAP_H
#define CH_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* cffi also reads the following. */

enum { CH_NOBODY = 0xffffffff, CH_TOP = 0xfffffffe };

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

/* Numbers that never fall, `count` of them. `low`: the lowest `width` bits of each; `high`: a bit for each, whose place
 * is the number's other bits plus how many numbers come before; `samples`: the places of some bits. */
struct ch_rising {
    uint64_t count;
    uint64_t width;
    uint64_t *low;
    uint64_t *high;
    uint64_t *samples;
};

/* The objects of a dump; all else about them is in the file, before and behind `at`. `cls`: number of the class of an
 * instance or array, of a class its own; `wide_cls` instead, if there are more classes than 16 bits can number.
 * `field_starts`, `fields`: by number of class, where references are in an instance; `ref_starts`, `refs`: by number of
 * class, ids to which the class itself refers; `objects`: by number of class, the class's own object, or CH_NOBODY.
 * `part_...`: flattened values, in the order of the objects that hold them; `part_of`: the object that holds one. */
struct ch_objects {
    uint64_t count;
    const uint8_t *tag;
    const uint16_t *cls;
    const uint32_t *wide_cls;
    const struct ch_rising *at;
    uint64_t classes;
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

/* From ids to objects.
 *
 * 1. Ids are mostly addresses: multiples of 1 << shift from `lowest` on, close to each other. Each such place has a bit
 *    in `bits` (`places` of them); `before`: how many bits are set before each word; `slot`: the objects, by address.
 * 2. Other ids are hashed: `places` is 0, `id` has the ids of all objects, and `slot` has open addressing, `slots` a
 *    power of two, more than there are objects. */
struct ch_index {
    const uint64_t *id;
    uint32_t *slot;
    uint64_t slots;
    uint64_t seed; /* odd */
    uint64_t *bits;
    uint32_t *before;
    uint64_t places;
    uint64_t lowest;
    uint32_t shift;
};

/* The objects to which each one refers, besides its class. An object is coded by its distance, either from the one that
 * refers to it or from the one before in the list, whichever is nearer: the sign and then which of them are the lowest
 * bits, 1 is added, and the bits are stored by seven, the lowest first; all bytes of a code but the last have the
 * highest bit. A byte 0 ends a list. */
struct ch_lists {
    uint8_t *bytes;
    uint64_t used;
    uint64_t room;
};

/* The references: each object's to its class, and those in its list. */
struct ch_graph {
    const struct ch_objects *objects;
    const struct ch_lists *lists;
    const struct ch_rising *starts;
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

/* Adds numbers to those that are there, which are not larger. */
void ch_heap_rising_add(struct ch_rising *all, const uint64_t *values, uint64_t count);

/* Reads the sub-records of these objects again; `of` of a class is 0. */
void ch_heap_describe(const uint8_t *data, uint32_t id_size, const struct ch_objects *all, const uint32_t *numbers,
                      uint64_t count, const struct ch_records *into);

/* Fills the index; returns how many objects had the id of another one, which are left out. */
uint64_t ch_heap_index(const uint8_t *data, uint32_t id_size, const struct ch_objects *all,
                       const struct ch_index *index);
/* The objects with these ids. */
void ch_heap_find(const struct ch_index *index, const uint64_t *ids, uint64_t count, uint32_t *found);

/* The first element of each of these arrays of objects that is not 0, else 0. */
void ch_heap_first_elements(const uint8_t *data, uint64_t size, uint32_t id_size, const uint64_t *at,
                            const uint32_t *length, uint64_t count, uint64_t *first);

/* Fills `lists` with what each object refers to, and what its parts do. Returns 0, or -1. */
int64_t ch_heap_references(const uint8_t *data, uint64_t size, uint32_t id_size, const struct ch_objects *all,
                           const struct ch_index *index, struct ch_lists *lists);
/* Adds where each list begins. */
void ch_heap_list_starts(const struct ch_lists *lists, struct ch_rising *starts);
void ch_heap_free_lists(struct ch_lists *lists);

/* Immediate dominators. `dominator`: room for one more than there are objects. Returns the number of those in reach, -1
 * without memory, -2 if there are more than 4 billion references to objects that were reached before. */
int64_t ch_heap_dominators(const struct ch_graph *graph, uint32_t *dominator);
/* Adds to each object's size those of all that it dominates, and marks objects in reach that no object of the same class
 * dominates. Returns 0, or -1. */
int64_t ch_heap_retained(const struct ch_objects *all, const uint32_t *dominator, uint64_t *size, uint8_t *topmost);
/* Shortest paths: `parent` of each object on the way from a root; that of a root is itself, CH_NOBODY out of reach. What
 * `without` refers to is not followed. Returns 0, or -1. */
int64_t ch_heap_shortest(const struct ch_graph *graph, uint32_t without, uint32_t *parent);

/* Ways that lead over the same classes, in the order in which they are first met. `first`: the position in the list of
 * the first object to which such a way leads; `count`: to how many it leads. */
struct ch_ways {
    uint64_t ways;
    uint32_t *first;
    uint32_t *count;
};

/* The ways to these objects, which are in reach. Returns 0, or -1. */
int64_t ch_heap_ways(const struct ch_objects *all, const uint32_t *parent, const uint32_t *numbers, uint64_t many,
                     struct ch_ways *ways);
void ch_heap_free_ways(struct ch_ways *ways);

/* Hashes of pieces of the file, with a key, so that two pieces cannot be made to collide on purpose. */
void ch_heap_hashes(const uint8_t *data, uint64_t size, const uint64_t *at, const uint64_t *length, uint64_t count,
                    uint64_t key, uint64_t *hash);

#endif
