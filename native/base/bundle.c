/* Finds out whether this library is a file that `classhook bundle` made: a jar follows the library, and where its
 * compiled rules are is noted here (instrument/ahead/bundle.py). */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base.h"

static const volatile struct {
    char mark[16] __attribute__((nonstring)), build[16] __attribute__((nonstring)); /* without the NUL at their ends */
    uint64_t at, bytes; /* of the rules; no bytes: no bundle */
} bundle = {"classhook bundle", CH_BUILD_ID, 0, 0};

bool ch_is_bundle(void) { return bundle.bytes != 0; }

char *ch_bundle_rules(size_t *bytes, struct ch_error *error) {
    Dl_info self;
    const char *path = dladdr((void *)(uintptr_t)ch_is_bundle, &self) && self.dli_fname ? self.dli_fname : "";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = (size_t)bundle.bytes, done = 0;
    char *text = file >= 0 ? malloc(n + 1) : NULL;
    while (text && done < n) {
        ssize_t got = pread(file, text + done, n - done, (off_t)(bundle.at + done));
        if (got <= 0) break;
        done += (size_t)got;
    }
    if (!text || done < n) {
        ch_fail(error, "cannot read the rules in %s: %m", path);
        free(text);
        text = NULL;
    } else {
        text[n] = 0;
        *bytes = n;
    }
    if (file >= 0) close(file);
    return text;
}
