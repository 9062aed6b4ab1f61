/* Originals: the class files that were woven for coverage, as they came to the hook.
 *
 * A report of coverage is made from them. They lie in the data directory (original_files.c), by their hash, which is in
 * the class's table: many JVMs and runs share them. If one cannot be kept, the program goes on; it is said at once, and
 * a note in the data says what the report will lack. For a class woven ahead of time, only the woven one exists: it is
 * kept under the original's hash, and has the original in it (instrument/ahead/seal.py). */
#include "weaver.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static char failure[5000]; /* why the first one could not be kept */
static bool is_failure;    /* it is written */

void ch_original_warn(struct ch_error *error) {
    if (ch_load_acquire(&is_failure)) ch_warn(error, "%s", failure);
}

void ch_original_keep(const struct ch_woven *w, const unsigned char *data, size_t bytes, bool ahead) {
    static bool failed;
    struct ch_line line;
    char note[5000];
    if (!(ch_wanted.cover || ahead) || !ch_probe_table_has(w->meta, w->meta_bytes, CH_LINE_ORIGINAL, &line) ||
        ch_originals_keep(line.original.sha256.bytes, ahead, data, bytes) || ch_exchange_relaxed(&failed, true))
        return;
    const char *why = strerror(errno), *folder = ch_originals_folder();
    snprintf(failure, sizeof failure,
             "class files cannot be kept in %s: %s; the program runs on, but reports of its coverage will need them "
             "from --classes JAR|DIR: "
             "make that folder writable, or name another data directory with -o DIR",
             folder, why);
    ch_say("%s", failure);
    ch_store_release(&is_failure, true);
    int n = snprintf(note, sizeof note, "class files could not be kept in %s: %s; coverage needs them from elsewhere",
                     folder, why);
    ch_meta_add(CH_META_NOTE, 0, 0, note, n < (int)sizeof note ? (size_t)n : sizeof note - 1);
}
