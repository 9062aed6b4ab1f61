#include "probe_table.h"
#include "../base/base.h"

bool ch_probe_of(uint32_t slot, uint64_t kinds, struct ch_text *class_name, struct ch_probe *out) {
    const struct ch_meta *m = ch_meta_of(slot);
    if (!m || slot - m->first_slot >= m->slots) return false;
    struct ch_line class;
    const char *text = (const char *)(m + 1);
    if (!ch_probe_table_has(text, m->bytes, CH_LINE_CLASS, &class)) return false;
    *class_name = class.class.name;
    struct ch_probe_table t = ch_probe_table_of(text, m->bytes);
    while (ch_probe_table_next_probe(&t, out))
        if (out->slot == slot - m->first_slot) return kinds >> out->kind & 1;
    return false;
}
