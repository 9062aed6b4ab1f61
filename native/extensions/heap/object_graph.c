/* From ids to objects, and the references between them. */
#include "bytes.h"
#include "lists.h"

/* Not base/table.h: the places are an array of numpy, which Python makes, and the objects are not moved. */
static uint64_t slot_of(const struct ch_index *index, uint64_t id) {
    unsigned __int128 product = (unsigned __int128)(id ^ index->seed) * (index->seed | 1);
    return ((uint64_t)product ^ (uint64_t)(product >> 64)) & (index->slots - 1);
}

static uint64_t hash_all(const struct ch_index *index, uint64_t count) {
    uint64_t twice = 0;
    for (uint64_t i = 0; i < index->slots; i++) index->slot[i] = CH_NOBODY;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = slot_of(index, index->id[i]);
        while (index->slot[at] != CH_NOBODY && index->id[index->slot[at]] != index->id[i])
            at = (at + 1) & (index->slots - 1);
        if (index->slot[at] == CH_NOBODY)
            index->slot[at] = (uint32_t)i;
        else
            twice++;
    }
    return twice;
}

/* The slot of an id whose bit is set. */
static inline uint64_t rank_of(const struct ch_index *index, uint64_t place) {
    uint64_t below = index->bits[place / 64] & ((UINT64_C(1) << place % 64) - 1);
    return index->before[place / 64] + (uint64_t)__builtin_popcountll(below);
}

static uint64_t rank_all(const uint8_t *data, uint32_t id_size, const struct ch_objects *all,
                         const struct ch_index *index) {
    uint64_t words = index->places / 64 + 1;
    uint32_t sum = 0;
    for (uint64_t i = 0; i < words; i++) index->bits[i] = 0;
    struct rising_walk walk = rising_from(all->at, 0);
    for (uint64_t i = 0; i < all->count; i++) {
        uint64_t id = id_before(data, rising_next(&walk), all->tag[i], id_size);
        uint64_t place = (id - index->lowest) >> index->shift;
        index->bits[place / 64] |= UINT64_C(1) << place % 64;
    }
    for (uint64_t i = 0; i < words; i++) {
        index->before[i] = sum;
        sum += (uint32_t)__builtin_popcountll(index->bits[i]);
    }
    for (uint64_t i = 0; i < sum; i++) index->slot[i] = CH_NOBODY;
    walk = rising_from(all->at, 0);
    for (uint64_t i = 0; i < all->count; i++) { /* of objects with one id, the first is left */
        uint64_t id = id_before(data, rising_next(&walk), all->tag[i], id_size);
        uint32_t *slot = &index->slot[rank_of(index, (id - index->lowest) >> index->shift)];
        if (*slot == CH_NOBODY) *slot = (uint32_t)i;
    }
    return all->count - sum;
}

uint64_t ch_heap_index(const uint8_t *data, uint32_t id_size, const struct ch_objects *all,
                       const struct ch_index *index) {
    return index->places ? rank_all(data, id_size, all, index) : hash_all(index, all->count);
}

static inline uint32_t find(const struct ch_index *index, uint64_t id) {
    if (id == 0) return CH_NOBODY;
    if (index->places) {
        uint64_t distance = id - index->lowest, place = distance >> index->shift;
        if (place >= index->places || place << index->shift != distance || !(index->bits[place / 64] >> place % 64 & 1))
            return CH_NOBODY;
        return index->slot[rank_of(index, place)];
    }
    uint64_t at = slot_of(index, id);
    while (index->slot[at] != CH_NOBODY && index->id[index->slot[at]] != id) at = (at + 1) & (index->slots - 1);
    return index->slot[at];
}

void ch_heap_find(const struct ch_index *index, const uint64_t *ids, uint64_t count, uint32_t *found) {
    for (uint64_t i = 0; i < count; i++) found[i] = find(index, ids[i]);
}

void ch_heap_first_elements(const uint8_t *data, uint64_t size, uint32_t id_size, const uint64_t *at,
                            const uint32_t *length, uint64_t count, uint64_t *first) {
    for (uint64_t i = 0; i < count; i++) {
        first[i] = 0;
        for (uint64_t k = 0; k < length[i] && first[i] == 0 && at[i] + (k + 1) * id_size <= size; k++)
            first[i] = be_id(data + at[i] + k * id_size, id_size);
    }
}

/* The data for adding to the list of an object. `before`: the one that was added last. */
struct adding {
    const uint8_t *data;
    uint64_t size;
    uint32_t id_size;
    const struct ch_objects *all;
    const struct ch_index *index;
    struct ch_lists *lists;
    uint32_t own, before;
};

static inline int add(struct adding *to, uint64_t id) {
    uint32_t found = find(to->index, id);
    return found == CH_NOBODY ? 0 : list_add(to->lists, to->own, &to->before, found);
}

/* Adds the references in the fields of an instance, or of a flattened value. */
static inline int add_fields(struct adding *to, uint32_t cls, uint32_t length, uint64_t at) {
    for (uint64_t k = to->all->field_starts[cls]; k < to->all->field_starts[cls + 1]; k++) {
        uint64_t end = (uint64_t)to->all->fields[k] + to->id_size;
        if (end <= length && at + end <= to->size &&
            add(to, be_id(to->data + at + end - to->id_size, to->id_size)) != 0)
            return -1;
    }
    return 0;
}

static inline int add_elements(struct adding *to, uint32_t length, uint64_t at) {
    if (at + (uint64_t)length * to->id_size > to->size) return 0;
    for (uint64_t k = 0; k < length; k++)
        if (add(to, be_id(to->data + at + k * to->id_size, to->id_size)) != 0) return -1;
    return 0;
}

static int add_class(struct adding *to, uint32_t cls) {
    for (uint64_t k = to->all->ref_starts[cls]; k < to->all->ref_starts[cls + 1]; k++)
        if (add(to, to->all->refs[k]) != 0) return -1;
    return 0;
}

/* Adds what parts from `*part` on, those of the object, refer to; their classes too, unless the one before them is the
 * same. */
static int add_parts(struct adding *to, uint64_t *part) {
    const struct ch_objects *all = to->all;
    for (uint32_t before = CH_NOBODY; *part < all->part_count && all->part_of[*part] <= to->own; ++*part) {
        uint32_t cls = all->part_cls[*part];
        if (cls != before && all->objects[cls] != CH_NOBODY &&
            list_add(to->lists, to->own, &to->before, all->objects[cls]) != 0)
            return -1;
        if (add_fields(to, cls, all->part_length[*part], all->part_at[*part]) != 0) return -1;
        before = cls;
    }
    return 0;
}

int64_t ch_heap_references(const uint8_t *data, uint64_t size, uint32_t id_size, const struct ch_objects *all,
                           const struct ch_index *index, struct ch_lists *lists) {
    struct adding to = {data, size, id_size, all, index, lists, 0, 0};
    struct rising_walk walk = rising_from(all->at, 0);
    uint64_t part = 0;
    for (uint64_t i = 0; i < all->count; i++) {
        uint64_t at = rising_next(&walk);
        uint8_t tag = all->tag[i];
        int status = list_room(lists);
        to.own = to.before = (uint32_t)i;
        if (tag == CH_CLASS_DUMP)
            status |= add_class(&to, class_of(all, i));
        else if (tag == CH_INSTANCE_DUMP)
            status |= add_fields(&to, class_of(all, i), length_before(data, at, tag, id_size), at);
        else if (tag == CH_OBJECT_ARRAY_DUMP)
            status |= add_elements(&to, length_before(data, at, tag, id_size), at);
        if (tag != CH_CLASS_DUMP) status |= add_parts(&to, &part);
        if (status != 0) return -1;
        lists->bytes[lists->used++] = 0;
    }
    return 0;
}

void ch_heap_free_lists(struct ch_lists *lists) {
    free(lists->bytes);
    *lists = (struct ch_lists){0};
}

/* Two multiplications of 64 by 64 bits for each 16 bytes, with the key in each factor. */
static uint64_t mixed(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

void ch_heap_hashes(const uint8_t *data, uint64_t size, const uint64_t *at, const uint64_t *length, uint64_t count,
                    uint64_t key, uint64_t *hash) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t left = length[i], sum = mixed(key ^ left, 0x9e3779b97f4a7c15u);
        hash[i] = 0;
        if (at[i] > size || left > size - at[i]) continue;
        for (const uint8_t *from = data + at[i]; left > 0;) {
            uint64_t piece[2] = {0, 0};
            size_t taken = left < sizeof piece ? left : sizeof piece;
            memcpy(piece, from, taken);
            sum = mixed(piece[0] ^ key, piece[1] ^ sum) + mixed(sum ^ piece[0], key | 1);
            from += taken;
            left -= taken;
        }
        hash[i] = sum;
    }
}
