/* Globs over internal class names, as in the compiled rules. */
#include "classes.h"
#include <string.h>

/* `*` stays within a segment, `**` crosses slashes, a leading `**` + `/` also matches no segment. Linear in name x
 * stars: it backtracks only to the last star of each kind, since a later star can match whatever an earlier one
 * could. */
static bool glob(const char *p, const char *s) {
    const char *star = NULL, *star_s = NULL, *stars = NULL, *stars_s = NULL;
    for (;;) {
        if (p[0] == '*' && p[1] == '*') {
            stars = p += 2;
            stars_s = s;
            star = NULL;
        } else if (*p == '*') {
            star = ++p;
            star_s = s;
        } else if (*p && *p == *s) {
            p++, s++;
        } else if (!*p && !*s) {
            return true;
        } else if (star && *star_s && *star_s != '/') {
            p = star;
            s = ++star_s;
        } else if (stars && *stars_s) {
            p = stars;
            s = ++stars_s;
            star = NULL;
        } else {
            return false;
        }
    }
}

bool ch_glob(const char *p, const char *s) { return glob(p, s) || (!strncmp(p, "**/", 3) && glob(p + 3, s)); }
