#include "drive.h"

#include <math.h>

#include "chip.h"
#include "encoder.h"

#define LAG 0.15               /* [s] motor and track */
#define DEAD_BAND 0.15         /* [1] duty that does not yet move it */
#define TOP_SPEED 0.35         /* [m/s] at full duty and nominal battery */
#define NOMINAL_BATTERY 7.4    /* [V] */
#define BRIDGE_DROP 1.4        /* [V] */

static unsigned word_at(const avr_t *avr, unsigned address) {
    return avr->data[address] | avr->data[address + 1] << 8;
}

static bool enable_is_output(const avr_t *avr, int side) {
    return avr->data[DDRH_ADDRESS] & (side == LEFT ? 1 << 3 : 1 << 4);
}

/* The duty of EN [1]. Phase-correct PWM is read from its registers: no pin toggles. */
static double duty_of(const avr_t *avr, int side) {
    bool pwm = avr->data[TCCR4A_ADDRESS] & (side == LEFT ? 1 << 7 : 1 << 5);
    bool high = avr->data[PORTH_ADDRESS] & (side == LEFT ? 1 << 3 : 1 << 4);
    unsigned top = word_at(avr, ICR4_ADDRESS);
    if (!enable_is_output(avr, side)) return 0.0; /* the pull-down holds it */
    if (!pwm) return high;
    if (top == 0) return 0.0;
    return fmin(1.0, (double)word_at(avr, side == LEFT ? OCR4A_ADDRESS : OCR4B_ADDRESS) / top);
}

/* -1, 0, 1 by the two direction inputs. */
static int direction_of(const avr_t *avr, int side) {
    unsigned inputs = avr->data[PORTA_ADDRESS] & avr->data[DDRA_ADDRESS];
    unsigned pair = inputs >> (side == LEFT ? 0 : 2) & 3;
    return (pair == 1) - (pair == 2);
}

static void look_at_enable(drive *drive) {
    for (int side = 0; side < SIDES; side++) {
        bool enabled = duty_of(drive->avr, side) > 0.0;
        if (enabled != drive->enabled[side]) drive->enabled_since[side] = drive->avr->cycle;
        drive->enabled[side] = enabled;
    }
}

static void enable_written(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    (void)value;
    look_at_enable(param);
}

void drive_attach(drive *drive, avr_t *avr, bool mirror) {
    static const unsigned watched[] = {DDRH_ADDRESS, PORTH_ADDRESS, TCCR4A_ADDRESS,
                                       OCR4A_ADDRESS, OCR4B_ADDRESS};
    drive->avr = avr;
    drive->mirror = mirror;
    for (unsigned i = 0; i < sizeof watched / sizeof *watched; i++)
        avr_irq_register_notify(avr_iomem_getirq(avr, watched[i], "enable", AVR_IOMEM_IRQ_ALL),
                                enable_written, drive);
    for (int side = 0; side < SIDES; side++) encoder_attach(&drive->encoder[side], drive, side);
}

void drive_after_reset(drive *drive) {
    look_at_enable(drive);
    for (int side = 0; side < SIDES; side++) encoder_assert(&drive->encoder[side]);
}

static double wanted_speed(const drive *drive, const track *track, int pins, double battery) {
    double duty = duty_of(drive->avr, pins) * direction_of(drive->avr, pins);
    double beyond = fmax(0.0, fabs(duty) - DEAD_BAND) / (1.0 - DEAD_BAND);
    double supply = fmax(0.0, battery - BRIDGE_DROP) / (NOMINAL_BATTERY - BRIDGE_DROP);
    double speed = copysign(TOP_SPEED * beyond * supply, duty);
    return track->motor_swapped ? -speed : speed;
}

void drive_step(drive *drive, double dt, double battery) {
    for (int side = 0; side < SIDES; side++) {
        track *track = &drive->track[side];
        int pins = drive->mirror ? SIDES - 1 - side : side;
        double wanted = wanted_speed(drive, track, pins, battery);
        double before = track->speed;
        track->speed = wanted + (track->speed - wanted) * exp(-dt / LAG);
        if (track->blocked) track->speed = 0.0;
        track->position += 0.5 * (before + track->speed) * dt / COUNT_LENGTH;
        encoder_follow(&drive->encoder[pins], track, dt);
    }
}
