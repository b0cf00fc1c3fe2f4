/* The serial line, both ways by interrupt through rings. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void uart_setup(void);
bool uart_read(uint8_t *byte);
bool uart_waiting(void);              /* a byte can be read */
uint16_t uart_room(void);             /* [byte] that can be written */
uint16_t uart_queued(void);           /* [byte] not yet sent */
void uart_write(uint8_t byte);        /* only when there is room */
uint16_t uart_overruns(void);         /* bytes lost in the receiver since boot, at least */
uint32_t uart_zero_us(void);          /* [us] when the last 00 came */
