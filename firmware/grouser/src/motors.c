#include "motors.h"

#include <avr/io.h>
#include <util/atomic.h>

#include "config.h"
#include "lease.h"

#define CONNECTED (_BV(COM4A1) | _BV(COM4B1))
#define PHASE_CORRECT_A _BV(WGM41)
#define PHASE_CORRECT_B (_BV(WGM43) | _BV(CS40))
#define ENABLE_MASK (_BV(ENABLE_LEFT) | _BV(ENABLE_RIGHT))
#define DIRECTION_MASK \
    (_BV(FORWARD_LEFT) | _BV(BACKWARD_LEFT) | _BV(FORWARD_RIGHT) | _BV(BACKWARD_RIGHT))

void motors_setup(void) {
    motors_off();
    ENABLE_DDR |= ENABLE_MASK;
    DIRECTION_PORT &= ~DIRECTION_MASK;
    DIRECTION_DDR |= DIRECTION_MASK;
    ICR4 = DUTY_MAX; /* a thousandth a step, 8 kHz */
    TCCR4A = PHASE_CORRECT_A;
    TCCR4B = PHASE_CORRECT_B;
}

void motors_off(void) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        TCCR4A = PHASE_CORRECT_A; /* the pins belong to the port again, which is low */
        ENABLE_PORT &= ~ENABLE_MASK;
        OCR4A = 0;
        OCR4B = 0;
    }
}

static uint16_t magnitude(int16_t duty) { return duty < 0 ? -duty : duty; }

void motors_drive(const int16_t duty[2]) {
    uint8_t direction = 0;
    if (duty[0] > 0) direction |= _BV(FORWARD_LEFT);
    if (duty[0] < 0) direction |= _BV(BACKWARD_LEFT);
    if (duty[1] > 0) direction |= _BV(FORWARD_RIGHT);
    if (duty[1] < 0) direction |= _BV(BACKWARD_RIGHT);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        if (lease_runs()) {
            DIRECTION_PORT = (DIRECTION_PORT & ~DIRECTION_MASK) | direction;
            OCR4A = magnitude(duty[0]);
            OCR4B = magnitude(duty[1]);
            TCCR4A = PHASE_CORRECT_A | CONNECTED;
        }
    }
}
