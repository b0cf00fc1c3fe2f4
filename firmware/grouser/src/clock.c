#include "clock.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "config.h"
#include "lease.h"

#define TICK_TOP (F_CPU / 8 / 1000000 * TICK_US)

static volatile uint32_t us_at_tick = CLOCK_START_US;
static volatile uint16_t ms;
static volatile bool ticked;
static volatile bool control_due;
static volatile uint32_t control_began_us;

void clock_setup(void) {
    TIMSK0 = 0; /* the Arduino core's own tick is not needed */
    TCCR3A = 0; /* stamps: free running, 16 MHz / 64 */
    TCCR3B = _BV(CS31) | _BV(CS30);
    TCCR5A = 0; /* tick: clear on compare, 16 MHz / 8 */
    TCCR5B = _BV(WGM52) | _BV(CS51);
    OCR5A = TICK_TOP - 1;
    TCNT5 = 0;
    TIMSK5 = _BV(OCIE5A);
}

ISR(TIMER5_COMPA_vect) {
    static uint8_t control_left = CONTROL_MS;
    us_at_tick += TICK_US;
    lease_tick(us_at_tick);
    ms++;
    ticked = true;
    if (--control_left == 0) {
        control_left = CONTROL_MS;
        if (!control_due) {
            control_due = true;
            control_began_us = us_at_tick;
        }
    }
}

uint32_t clock_us(void) {
    uint32_t base;
    uint16_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        base = us_at_tick;
        count = TCNT5;
        if ((TIFR5 & _BV(OCF5A)) && count < TICK_TOP / 2)
            base += TICK_US; /* the tick is waiting for its interrupt */
    }
    return base + count / (F_CPU / 8 / 1000000);
}

uint16_t clock_ms(void) {
    uint16_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = ms; }
    return now;
}

uint16_t clock_stamp(void) { return TCNT3; }

bool clock_ticked(void) { return ticked; }

void clock_take_tick(void) { ticked = false; }

bool clock_control_due(void) { return control_due; }

uint32_t clock_take_control(void) {
    uint32_t began;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        control_due = false;
        began = control_began_us;
    }
    return began;
}
