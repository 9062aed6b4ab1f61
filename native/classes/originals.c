/* Originals: the class files that were woven for coverage, as they came to the hook.
 *
 * A report of coverage is made from them. They lie in the data directory (original_files.c), by their hash, which is in the class's table: many JVMs
 * and runs share them. If one cannot be kept, the program goes on; it is said at once, and a note in the data says what the report will lack. Of a
 * class woven ahead of time only the woven one is there: it is kept under the original's hash, and has the original in it
 * (instrument/ahead/seal.py).
 */
#include "classes.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { HASH = 64 /* hex digits */ };

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* The line `O<TAB>hash<TAB>bytes` of a class's table, instrument/weaving/probe_table.py; what comes from the cache may be corrupt. */
static bool hash_of(const struct ch_woven *w, unsigned char hash[HASH / 2]) {
    const char *line = w->meta_bytes ? memmem(w->meta, w->meta_bytes, "\nO\t", 3) : NULL;
    if (!line || (size_t)(w->meta + w->meta_bytes - line) < 3 + HASH || strspn(line + 3, "0123456789abcdef") != HASH) return false;
    for (int i = 0; i < HASH; i += 2) hash[i / 2] = (unsigned char)(digit(line[3 + i]) << 4 | digit(line[4 + i]));
    return true;
}

void ch_original_keep(const struct ch_woven *w, const unsigned char *data, size_t bytes, bool ahead) {
    static bool failed;
    unsigned char hash[HASH / 2];
    char note[5000];
    if (!(ch_has_cover || ahead) || !hash_of(w, hash) || ch_originals_keep(hash, ahead, data, bytes) || __atomic_exchange_n(&failed, true, __ATOMIC_RELAXED))
        return;
    const char *why = strerror(errno), *folder = ch_originals_folder();
    ch_say("class files cannot be kept in %s: %s; the program runs on, but reports of its coverage will need them from --classes JAR|DIR: "
           "make that folder writable, or name another data directory with -o DIR", folder, why);
    int n = snprintf(note, sizeof note, "class files could not be kept in %s: %s; coverage needs them from elsewhere", folder, why);
    ch_meta_add(CH_META_NOTE, 0, 0, note, n < (int)sizeof note ? (size_t)n : sizeof note - 1);
}
