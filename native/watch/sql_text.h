/* SQL texts without their literals, which are the same for all values. */
#ifndef CLASSHOOK_SQL_TEXT_H
#define CLASSHOOK_SQL_TEXT_H
#include <stdint.h>

/* UTF-16. Returns the length; at most `room`, and then the last one is an ellipsis if there is more. */
uint32_t ch_sql_without_literals(const uint16_t *text, uint32_t n, uint16_t *to, uint32_t room);
#endif
