/* Globs over internal class names, as the compiled rules have them. */
#include "classes.h"
#include <string.h>

/* `*` stays within a segment, `**` crosses slashes, a leading `**` + `/` matches no segment too. Linear in name x stars: only
 * the last star of each kind is ever gone back to, since a later one can take over all that an earlier one could. */
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

bool ch_glob(const char *p, const char *s) {
    return glob(p, s) || (!strncmp(p, "**/", 3) && glob(p + 3, s));
}
