/* When samplers look: at a random moment of each period. */
#include "sampling.h"

struct ch_moments ch_moments_begin(void) {
    uint64_t now = ch_monotonic_ns();
    return (struct ch_moments){now, now | 1};
}

uint64_t ch_next_moment(struct ch_moments *moments, uint64_t period) {
    uint64_t now = ch_monotonic_ns();
    if (moments->start + period < now)
        moments->start = now - period; /* it was kept from running: what it missed it need not catch up with */
    moments->start += period;
    return moments->start + ch_random_below(&moments->state, period);
}
