/* One transaction at a time on the two-wire bus: write some bytes, then read some. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void twi_setup(void);
void twi_start(uint8_t address, const uint8_t *out, uint8_t out_length, uint8_t *in,
               uint8_t in_length);
bool twi_busy(void);
bool twi_succeeded(void);
void twi_release(void);       /* gives up a transaction that hangs */
