/* What the board knows of the chip: register addresses of the ATmega2560 (data sheet, ch. 33) and
 * which of its pins the firmware uses. */
#pragma once

#define CHIP "atmega2560"
#define CYCLES_PER_US 16

enum {
    PINB_ADDRESS = 0x23, DDRA_ADDRESS = 0x21, PORTA_ADDRESS = 0x22,
    DDRH_ADDRESS = 0x101, PORTH_ADDRESS = 0x102,
    TCCR4A_ADDRESS = 0xA0, ICR4_ADDRESS = 0xA6, OCR4A_ADDRESS = 0xA8, OCR4B_ADDRESS = 0xAA,
};
