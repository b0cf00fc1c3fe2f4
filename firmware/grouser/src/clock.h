/* Device time: a 1 kHz tick, a 32 bit microsecond clock and 16 bit stamps for encoder edges. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void clock_setup(void);
uint32_t clock_us(void);       /* [us], wraps after 71.6 minutes */
uint16_t clock_ms(void);       /* [ms], wraps after 65.5 s */
uint16_t clock_stamp(void);    /* [STAMP_US], call with interrupts off */
bool clock_ticked(void);       /* a tick has come since the last clock_take_tick */
void clock_take_tick(void);
bool clock_control_due(void);
uint32_t clock_take_control(void); /* clears it; returns when the period began [us] */
