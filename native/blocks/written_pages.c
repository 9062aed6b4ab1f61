/* Written pages stay what they are, so the file system is only asked about the others: it takes 0.4 us for each end of
 * a hole, and blocks of 100,000 probes have a hundred holes. Small holes between written pages are read as if they had
 * been written to. This allocates them, at most as many as were written to. */
#include "written_pages.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, SMALL = 1 /* pages */ };

/* Without memory for them, they stay unknown. */
static void note(struct ch_written *w, size_t begin, size_t stop) {
    if (stop > w->n) {
        uint8_t *more = realloc(w->pages, stop);
        if (!more) return;
        memset(more + w->n, 0, stop - w->n);
        w->pages = more;
        w->n = stop;
    }
    memset(w->pages + begin, 1, stop - begin);
}

static bool is_known(const struct ch_written *w, size_t page) { return page < w->n && w->pages[page]; }

/* The first page from `page` on that is known to be written to, or not so. */
static size_t first(const struct ch_written *w, size_t page, size_t end, bool known) {
    while (page < end && is_known(w, page) != known) page++;
    return page;
}

bool ch_written_next(struct ch_written *w, const struct ch_region *r, size_t from, size_t end, size_t *begin,
                     size_t *stop) {
    if (from >= end) return false;
    size_t page = from / PAGE, end_page = (end + PAGE - 1) / PAGE;
    bool found = false;
    while (!found && page < end_page) {
        size_t known = first(w, page, end_page, true), pages = known - page;
        *begin = page * PAGE;
        *stop = known * PAGE < end ? known * PAGE : end;
        if (!pages) {
            *stop = first(w, page, end_page, false) * PAGE;
            found = true;
        } else if (page && known < end_page && pages <= SMALL) {
            note(w, page, known);
            found = true;
        } else if (ch_region_data(r, *begin, *stop, begin, stop)) {
            note(w, *begin / PAGE, (*stop + PAGE - 1) / PAGE);
            found = true;
        }
        page = known;
    }
    if (found && *begin < from) *begin = from;
    if (found && *stop > end) *stop = end;
    return found;
}
