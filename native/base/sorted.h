/* Binary search in what is sorted. */
#ifndef CLASSHOOK_SORTED_H
#define CLASSHOOK_SORTED_H
#include <stddef.h>

/* The least `i` below `n` for which the condition holds, as it then does for all greater ones; `n` if it holds for
 * none:
 *
 *     ch_first_where(count, i, entries[i].from > at)
 */
#define ch_first_where(n, i, condition) \
    __extension__({ \
        size_t low_ = 0, high_ = (n); \
        while (low_ < high_) { \
            size_t i = low_ + (high_ - low_) / 2; \
            if (condition) \
                high_ = i; \
            else \
                low_ = i + 1; \
        } \
        low_; \
    })
#endif
