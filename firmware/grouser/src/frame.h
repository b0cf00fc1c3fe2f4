/* Frames: COBS(type | body | CRC) 00. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct frame {
    uint8_t type;
    uint8_t length;         /* [byte] of the body */
    const uint8_t *body;    /* valid until the next byte is taken */
};

bool frame_take(uint8_t byte, struct frame *frame); /* true: `frame` is a new good one */
void frame_send(uint8_t type, const void *body, uint8_t length); /* whole or not at all */
void frame_resynchronise(void);                     /* sends a lone 00 */
uint16_t frame_errors(void);                        /* damaged or too long ones since boot */
