/* The supply voltage, one conversion a control period. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void battery_setup(void);
void battery_poll(void);       /* once a control period */
uint16_t battery_mv(void);     /* [mV], smoothed */
bool battery_low(void);        /* below BATTERY_LOW for BATTERY_LOW_MS */
