#include "twi.h"

#include "config.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay.h>
#include <util/twi.h>

#define HALF_CLOCK_US 5 /* [us] */
#define GO (_BV(TWINT) | _BV(TWEN) | _BV(TWIE))

static volatile bool busy, succeeded;
static uint8_t slave, to_write, to_read, written, got;
static bool reading;
static const uint8_t *source;
static uint8_t *target;

void twi_setup(void) {
    TWSR = 0;
    TWBR = (F_CPU / IMU_BUS - 16) / 2;
    TWCR = _BV(TWEN);
}

void twi_start(uint8_t address, const uint8_t *out, uint8_t out_length, uint8_t *in,
               uint8_t in_length) {
    slave = address;
    source = out;
    target = in;
    to_write = out_length;
    to_read = in_length;
    written = got = 0;
    reading = succeeded = false;
    busy = true;
    TWCR = GO | _BV(TWSTA);
}

bool twi_busy(void) { return busy; }

bool twi_succeeded(void) { return succeeded; }

/* A slave that was cut off in the middle of a byte holds the data line until it has been clocked
 * through the rest of it. */
void twi_release(void) {
    TWCR = 0;
    busy = succeeded = false;
    IMU_CLOCK_PORT &= ~_BV(IMU_CLOCK); /* low, or let go: the bus has pull-ups */
    for (uint8_t bit = 0; bit < 9; bit++) {
        IMU_CLOCK_DDR |= _BV(IMU_CLOCK);
        _delay_us(HALF_CLOCK_US);
        IMU_CLOCK_DDR &= ~_BV(IMU_CLOCK);
        _delay_us(HALF_CLOCK_US);
    }
    TWCR = _BV(TWEN);
}

static void finish(bool good) {
    TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTO);
    succeeded = good;
    busy = false;
}

static void write_next(void) {
    if (written < to_write) {
        TWDR = source[written++];
        TWCR = GO;
    } else if (to_read) {
        reading = true;
        TWCR = GO | _BV(TWSTA);
    } else {
        finish(true);
    }
}

ISR(TWI_vect) {
    switch (TW_STATUS) {
    case TW_START:
    case TW_REP_START:
        TWDR = slave << 1 | reading;
        TWCR = GO;
        break;
    case TW_MT_SLA_ACK:
    case TW_MT_DATA_ACK:
        write_next();
        break;
    case TW_MR_DATA_ACK:
        target[got++] = TWDR; /* fall through */
    case TW_MR_SLA_ACK:
        TWCR = GO | (got + 1 < to_read ? _BV(TWEA) : 0);
        break;
    case TW_MR_DATA_NACK:
        target[got++] = TWDR;
        finish(true);
        break;
    default: /* no answer, arbitration lost, bus error */
        finish(false);
    }
}
