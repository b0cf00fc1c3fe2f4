/* Why and how often the device started, and which firmware it runs. */
#pragma once

#include <stdint.h>

#ifndef FIRMWARE_HASH
#define FIRMWARE_HASH 0UL /* builds of the Arduino IDE have none */
#endif

void boot_setup(void);
uint8_t boot_mcusr(void);      /* the reset flags as they were at the start */
uint16_t boot_count(void);     /* starts since the EEPROM was erased */
