#include "boot.h"

#include <avr/eeprom.h>
#include <avr/io.h>
#include <avr/wdt.h>

static uint8_t mcusr __attribute__((section(".noinit")));
static uint16_t count;
static uint16_t count_in_eeprom EEMEM = 0xFFFF;

/* Before main: after a watchdog reset the watchdog still runs, at its shortest time. */
void boot_catch(void) __attribute__((naked, used, section(".init3")));
void boot_catch(void) {
    mcusr = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

void boot_setup(void) {
    uint16_t before = eeprom_read_word(&count_in_eeprom);
    count = before == 0xFFFF ? 1 : before + 1; /* erased cells read ones */
    eeprom_update_word(&count_in_eeprom, count);
}

uint8_t boot_mcusr(void) { return mcusr; }

uint16_t boot_count(void) { return count; }
