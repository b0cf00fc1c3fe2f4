#include "encoders.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "clock.h"
#include "config.h"

static volatile struct encoder encoders[2];
static uint8_t last_pins;

/* Index: last B, last A, B, A. Forward is A before B; two edges at once count nothing. */
static const int8_t STEP[16] = {0, 1, -1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 0, -1, 1, 0};

void encoders_setup(void) {
    ENCODER_DDR &= ~ENCODER_MASK;
    ENCODER_PORT |= ENCODER_MASK; /* pull-ups, for open collector encoders */
    last_pins = ENCODER_PINS;
    PCMSK0 = ENCODER_MASK;
    PCIFR = _BV(PCIF0);
    PCICR = _BV(PCIE0);
}

static inline void count_edge(uint8_t side, uint8_t pins, uint8_t shift, uint16_t stamp) {
    uint8_t before = (last_pins >> shift) & 3;
    uint8_t after = (pins >> shift) & 3;
    int8_t step = STEP[before << 2 | after];
    if (step != 0) {
        encoders[side].count += step;
        encoders[side].stamp = stamp;
    }
}

ISR(PCINT0_vect) {
    uint16_t stamp = clock_stamp();
    uint8_t pins = ENCODER_PINS;
    count_edge(0, pins, ENCODER_SHIFT_LEFT, stamp);
    count_edge(1, pins, ENCODER_SHIFT_RIGHT, stamp);
    last_pins = pins;
}

struct encoder encoder_read(uint8_t side) {
    struct encoder copy;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        copy.count = encoders[side].count;
        copy.stamp = encoders[side].stamp;
    }
    return copy;
}
