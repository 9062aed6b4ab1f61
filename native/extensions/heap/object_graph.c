/* From ids to objects, and the references between them. */
#include "bytes.h"
#include "heap.h"

/* Not base/table.h: the places are an array of numpy, which Python makes, and the objects are not moved. */
static uint64_t slot_of(const struct ch_index *index, uint64_t id) {
    unsigned __int128 product = (unsigned __int128)(id ^ index->seed) * (index->seed | 1);
    return ((uint64_t)product ^ (uint64_t)(product >> 64)) & (index->slots - 1);
}

uint64_t ch_heap_index(const struct ch_index *index, uint64_t count) {
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

static inline uint32_t find(const struct ch_index *index, uint64_t id) {
    if (id == 0) return CH_NOBODY;
    uint64_t at = slot_of(index, id);
    while (index->slot[at] != CH_NOBODY && index->id[index->slot[at]] != id) at = (at + 1) & (index->slots - 1);
    return index->slot[at];
}

void ch_heap_find(const struct ch_index *index, const uint64_t *ids, uint64_t count, uint32_t *found) {
    for (uint64_t i = 0; i < count; i++) found[i] = find(index, ids[i]);
}

uint64_t ch_heap_most_references(const struct ch_objects *all) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < all->count; i++) {
        uint32_t cls = all->cls[i];
        sum += 1;
        if (all->tag[i] == CH_CLASS_DUMP)
            sum += all->ref_starts[cls + 1] - all->ref_starts[cls];
        else if (all->tag[i] == CH_INSTANCE_DUMP)
            sum += all->field_starts[cls + 1] - all->field_starts[cls];
        else if (all->tag[i] == CH_OBJECT_ARRAY_DUMP)
            sum += all->length[i];
    }
    for (uint64_t i = 0; i < all->part_count; i++)
        sum += 1 + all->field_starts[all->part_cls[i] + 1] - all->field_starts[all->part_cls[i]];
    return sum;
}

void ch_heap_first_elements(const uint8_t *data, uint64_t size, uint32_t id_size, const uint64_t *at,
                            const uint32_t *length, uint64_t count, uint64_t *first) {
    for (uint64_t i = 0; i < count; i++) {
        first[i] = 0;
        for (uint64_t k = 0; k < length[i] && first[i] == 0 && at[i] + (k + 1) * id_size <= size; k++)
            first[i] = be_id(data + at[i] + k * id_size, id_size);
    }
}

/* The references in the fields of an instance, or of a flattened value. */
static inline __attribute__((always_inline)) uint64_t fields_of(const uint8_t *data, uint64_t size, uint32_t id_size,
                                                                const struct ch_objects *all,
                                                                const struct ch_index *index, uint32_t cls,
                                                                uint32_t length, uint64_t at, uint32_t *targets) {
    uint64_t sum = 0;
    uint32_t found;
    for (uint64_t k = all->field_starts[cls]; k < all->field_starts[cls + 1]; k++) {
        uint64_t end = (uint64_t)all->fields[k] + id_size;
        if (end <= length && at + end <= size &&
            (found = find(index, be_id(data + at + end - id_size, id_size))) != CH_NOBODY)
            targets[sum++] = found;
    }
    return sum;
}

uint64_t ch_heap_references(const uint8_t *data, uint64_t size, uint32_t id_size, const struct ch_objects *all,
                            const struct ch_index *index, uint64_t *starts, uint32_t *targets) {
    uint64_t sum = 0, part = 0;
    for (uint64_t i = 0; i < all->count; i++) {
        uint32_t cls = all->cls[i], found;
        starts[i] = sum;
        if (all->tag[i] == CH_CLASS_DUMP) {
            for (uint64_t k = all->ref_starts[cls]; k < all->ref_starts[cls + 1]; k++)
                if ((found = find(index, all->refs[k])) != CH_NOBODY) targets[sum++] = found;
            continue;
        }
        if (all->objects[cls] != CH_NOBODY) targets[sum++] = all->objects[cls];
        uint64_t at = all->at[i];
        if (all->tag[i] == CH_INSTANCE_DUMP) {
            sum += fields_of(data, size, id_size, all, index, cls, all->length[i], at, targets + sum);
        } else if (all->tag[i] == CH_OBJECT_ARRAY_DUMP && at + (uint64_t)all->length[i] * id_size <= size) {
            for (uint64_t k = 0; k < all->length[i]; k++)
                if ((found = find(index, be_id(data + at + k * id_size, id_size))) != CH_NOBODY) targets[sum++] = found;
        }
        for (uint32_t before = CH_NOBODY; part < all->part_count && all->part_of[part] <= i; before = cls, part++) {
            cls = all->part_cls[part];
            if (cls != before && all->objects[cls] != CH_NOBODY) targets[sum++] = all->objects[cls];
            sum += fields_of(data, size, id_size, all, index, cls, all->part_length[part], all->part_at[part],
                             targets + sum);
        }
    }
    starts[all->count] = sum;
    return sum;
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
