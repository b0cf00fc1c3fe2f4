#include "firmware.h"

#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "battery.h"
#include "boot.h"
#include "clock.h"
#include "encoders.h"
#include "guards.h"
#include "imu.h"
#include "link.h"
#include "uart.h"
#include "vehicle.h"

void firmware_setup(void) {
    cli();
    vehicle_setup(); /* first: the motors are off */
    boot_setup();
    clock_setup();
    encoders_setup();
    battery_setup();
    link_setup();
    sei();
    imu_setup();
    if (WITH_WATCHDOG) wdt_enable(WDTO_120MS);
}

static void control_when_due(void) {
    if (!clock_control_due()) return;
    uint32_t began_us = clock_take_control();
    vehicle_step();
    link_note_loop(began_us);
    wdt_reset(); /* here and nowhere else */
}

/* Any interrupt ends the sleep; one between the check and the sleep does too, as `sei` lets one
 * more instruction pass. */
static void sleep_until_interrupt(void) {
    set_sleep_mode(SLEEP_MODE_IDLE);
    cli();
    if (!clock_ticked() && !uart_waiting() && !clock_control_due()) {
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
    sei();
}

void firmware_turn(void) {
    clock_take_tick();
    vehicle_watch_lease();
    link_poll();
    control_when_due();
    link_report();
    sleep_until_interrupt();
}

#ifndef ARDUINO
int main(void) {
    firmware_setup();
    for (;;) firmware_turn();
}
#endif
