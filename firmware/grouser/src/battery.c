#include "battery.h"

#include <avr/io.h>

#include "config.h"
#include "guards.h"

static uint16_t smooth_mv;
static uint16_t low_ms;

static void start_conversion(void) { ADCSRA |= _BV(ADSC); }

static uint16_t converted_mv(void) { return ADC * BATTERY_FULL_SCALE / 1024; }

void battery_setup(void) {
    ADMUX = _BV(REFS0) | BATTERY_CHANNEL; /* against AVCC */
    ADCSRB = 0;
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0); /* 125 kHz */
    start_conversion();
    while (ADCSRA & _BV(ADSC)) {
    }
    smooth_mv = converted_mv();
    start_conversion();
}

void battery_poll(void) {
    if (ADCSRA & _BV(ADSC)) return;
    int32_t change = (int32_t)converted_mv() - smooth_mv;
    smooth_mv += change / 8;
    if (change > -8 && change < 8) smooth_mv += change;
    start_conversion();
    if (smooth_mv >= BATTERY_LOW)
        low_ms = 0;
    else if (low_ms < BATTERY_LOW_MS)
        low_ms += CONTROL_MS;
}

uint16_t battery_mv(void) { return smooth_mv; }

bool battery_low(void) { return WITH_BATTERY && low_ms >= BATTERY_LOW_MS; }
