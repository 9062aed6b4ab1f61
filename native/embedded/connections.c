/* What this library is connected to: the agent below, and what stands on top. */
#include "embedded.h"

const struct ch_hub *ch_hub;
const struct ch_extension *ch_extension;
