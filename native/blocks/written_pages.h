/* The pages of a region that were written to, as far as that was seen. */
#ifndef CLASSHOOK_WRITTEN_PAGES_H
#define CLASSHOOK_WRITTEN_PAGES_H
#include "../base/base.h"

struct ch_written {
    uint8_t *pages; /* by page: 1, it was written to; NULL: none is known */
    size_t n;
};
/* The same as ch_region_data, for a region that only this thread sees, or that is used under one lock. Some pages
 * between written ones are among them. */
bool ch_written_next(struct ch_written *w, const struct ch_region *r, size_t from, size_t end, size_t *begin,
                     size_t *stop);
#endif
