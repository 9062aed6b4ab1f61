/* Checksums of the class files that were woven while contexts are told apart, so that a recording of tests is one of
 * the classes that ran. */
#include "classes.h"
#include <dlfcn.h>
#include <string.h>

/* CRC-32 as of zip files. */
static uint32_t crc32(const unsigned char *data, size_t bytes) {
    static uint32_t table[256]; /* filled in the same way by each thread */
    if (!ch_load_acquire(&table[255]))
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t value = i;
            for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? 0xEDB88320 : 0);
            ch_store_release(&table[i], value);
        }
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < bytes; i++) sum = sum >> 8 ^ ch_load_relaxed(&table[(sum ^ data[i]) & 0xFF]);
    return ~sum;
}

/* Agents in Java change class files before this one sees them. */
static bool other_agents_may_change_them(void) {
    void *library = dlopen("libinstrument.so", RTLD_LAZY | RTLD_NOLOAD);
    return library && !dlclose(library);
}

void ch_class_file_sum(const char *name, const unsigned char *data, uint32_t bytes) {
    uint32_t altered = other_agents_may_change_them() ? CH_MAY_BE_ALTERED : 0;
    ch_meta_add(CH_META_CLASS_FILE, crc32(data, bytes), bytes | altered, name, strlen(name));
}
