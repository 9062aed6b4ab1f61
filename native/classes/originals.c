/* The store of originals: the class files that were woven for coverage, as they came to the hook.
 *
 * A report of coverage is made from them. They lie in the data directory, each once, by their hash, which is in the class's table: many JVMs
 * and runs share them. A file is written beside its place and renamed, so that it is whole or not there. If that fails, the
 * program goes on; it is said at once, and a note in the data says what the report will lack. Of a class woven ahead of time only the woven one is there: it is
 * kept under the original's hash, and has the original in it (instrument/ahead/seal.py).
 */
#include "classes.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HASH = 64 /* hex digits */ };

static char folder[4096 + 16];
static bool made, failed;

void ch_originals_start(const char *data_directory) { snprintf(folder, sizeof folder, "%s/originals", data_directory); }

/* The line `O<TAB>hash<TAB>bytes` of a class's table, instrument/weaving/probe_table.py; what comes from the cache may be corrupt. */
static const char *hash_of(const struct ch_woven *w) {
    const char *line = w->meta_bytes ? memmem(w->meta, w->meta_bytes, "\nO\t", 3) : NULL;
    if (!line || (size_t)(w->meta + w->meta_bytes - line) < 3 + HASH) return NULL;
    return strspn(line + 3, "0123456789abcdef") == HASH ? line + 3 : NULL;
}

static bool is_there(const char *path, size_t bytes) {
    struct stat s;
    return !stat(path, &s) && (size_t)s.st_size == bytes;
}

static bool write_all(int file, const unsigned char *data, size_t bytes) {
    struct rlimit limit;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur) {
        errno = EFBIG; /* checked first, since the kernel would also send SIGXFSZ */
        return false;
    }
    for (size_t done = 0; done < bytes;) {
        ssize_t n = write(file, data + done, bytes - done);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) done += (size_t)n;
    }
    return true;
}

/* errno if false. `path` is FOLDER/xx/HASH.class, or .woven. */
static bool keep(char *path, size_t folder_bytes, const unsigned char *data, size_t bytes) {
    static uint32_t number;
    char beside[sizeof folder + 160];
    if (!__atomic_load_n(&made, __ATOMIC_RELAXED)) {
        if (!ch_make_dirs(folder, 0777)) return false;
        __atomic_store_n(&made, true, __ATOMIC_RELAXED);
    }
    path[folder_bytes] = 0;
    if (mkdir(path, 0777) && errno != EEXIST) return false;
    path[folder_bytes] = '/';
    snprintf(beside, sizeof beside, "%s.%llx-%x-%x", path, (unsigned long long)ch_header->start_unix_ns, ch_header->pid,
             __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED));
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) return false;
    bool good = write_all(file, data, bytes);
    int error = errno;
    if (close(file) && good) error = errno, good = false;
    if (good && rename(beside, path)) error = errno, good = false;
    if (!good) unlink(beside);
    errno = error;
    return good;
}

void ch_original_keep(const struct ch_woven *w, const unsigned char *data, size_t bytes, bool ahead) {
    char path[sizeof folder + 96], note[sizeof folder + 300];
    const char *hash = ch_has_cover || ahead ? hash_of(w) : NULL;
    if (!hash) return;
    int length = snprintf(path, sizeof path, "%s/%.2s", folder, hash);
    snprintf(path + length, sizeof path - (size_t)length, "/%.64s.%s", hash, ahead ? "woven" : "class");
    if (is_there(path, bytes) || keep(path, (size_t)length, data, bytes) || __atomic_exchange_n(&failed, true, __ATOMIC_RELAXED)) return;
    const char *why = strerror(errno);
    ch_say("class files cannot be kept in %s: %s; the program runs on, but reports of its coverage will need them from --classes JAR|DIR: "
           "make that folder writable, or name another data directory with -o DIR", folder, why);
    int n = snprintf(note, sizeof note, "class files could not be kept in %s: %s; coverage needs them from elsewhere", folder, why);
    ch_meta_add(CH_META_NOTE, 0, 0, note, n < (int)sizeof note ? (size_t)n : sizeof note - 1);
}
