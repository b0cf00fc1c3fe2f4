/* Two quadrature encoders, every edge counted and stamped by interrupt. */
#pragma once

#include <stdint.h>

struct encoder {
    int32_t count;   /* [count], forward positive */
    uint16_t stamp;  /* [STAMP_US] of the last edge */
};

void encoders_setup(void);
struct encoder encoder_read(uint8_t side);
