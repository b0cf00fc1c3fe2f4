#include "imu.h"

#include <math.h>
#include <string.h>

#include <avr_twi.h>

#define ADDRESS 0x68
#define TRACK_DISTANCE 0.2742   /* [m] */
#define GYRO_BIAS 0.5           /* [deg/s] at most */
#define GYRO_NOISE 0.05         /* [deg/s] rms */
#define GYRO_SCALE 131.0        /* [count s/deg] */
#define ACCEL_NOISE 0.003       /* [g] rms */
#define ACCEL_SCALE 16384.0     /* [count/g] */
#define GRAVITY 9.80665         /* [m/s^2] */

enum { ACCEL_XOUT_H = 0x3B, PWR_MGMT_1 = 0x6B, WHO_AM_I = 0x75, SLEEP = 0x40 };

static void store(imu *imu, unsigned at, double value) {
    double bounded = fmax(-32768.0, fmin(32767.0, round(value)));
    uint16_t bits = (uint16_t)(int16_t)bounded;
    imu->registers[at] = bits >> 8;
    imu->registers[at + 1] = bits & 0xFF;
}

/* A new sample whenever its first register is asked for. */
static void sample(imu *imu) {
    double accel[3] = {imu->acceleration, 0.0, 1.0};
    double gyro[3] = {0.0, 0.0, imu->yaw_rate};
    if (imu->registers[PWR_MGMT_1] & SLEEP) return;
    for (int axis = 0; axis < 3; axis++) {
        double shake = accel[axis] + ACCEL_NOISE * random_normal(&imu->random);
        double turn = gyro[axis] + imu->bias[axis] + GYRO_NOISE * random_normal(&imu->random);
        store(imu, ACCEL_XOUT_H + 2 * axis, shake * ACCEL_SCALE);
        store(imu, ACCEL_XOUT_H + 8 + 2 * axis, turn * GYRO_SCALE);
    }
}

static void answer(imu *imu, uint8_t message, uint8_t data) {
    avr_raise_irq(imu->bus + TWI_IRQ_INPUT, avr_twi_irq_msg(message, ADDRESS << 1, data));
}

static void take_byte(imu *imu, uint8_t data) {
    answer(imu, TWI_COND_ACK, 1);
    if (!imu->has_pointer) {
        imu->has_pointer = true;
        imu->pointer = data & 0x7F;
        return;
    }
    imu->registers[imu->pointer] = data;
    imu->pointer = (imu->pointer + 1) & 0x7F;
}

static void give_byte(imu *imu) {
    if (imu->pointer == ACCEL_XOUT_H) sample(imu);
    answer(imu, TWI_COND_READ, imu->registers[imu->pointer]);
    imu->pointer = (imu->pointer + 1) & 0x7F;
}

static void hear(struct avr_irq_t *irq, uint32_t value, void *param) {
    imu *imu = param;
    avr_twi_msg_irq_t heard = {.u.v = value};
    (void)irq;
    if (heard.u.twi.msg & TWI_COND_STOP) imu->selected = false;
    if (heard.u.twi.msg & TWI_COND_START) {
        imu->selected = imu->powered && heard.u.twi.addr >> 1 == ADDRESS;
        imu->has_pointer = false;
        if (imu->selected) answer(imu, TWI_COND_ACK, 1);
    }
    if (!imu->selected || !imu->powered) return;
    if (heard.u.twi.msg & TWI_COND_WRITE) take_byte(imu, heard.u.twi.data);
    if (heard.u.twi.msg & TWI_COND_READ) give_byte(imu);
}

void imu_power(imu *imu, bool on) {
    if (on && !imu->powered) {
        memset(imu->registers, 0, sizeof imu->registers);
        imu->registers[PWR_MGMT_1] = SLEEP;
        imu->registers[WHO_AM_I] = ADDRESS;
    }
    imu->powered = on;
}

void imu_attach(imu *imu, avr_t *avr, uint64_t seed) {
    static const char *names[] = {"8>imu.out", "32<imu.in"};
    imu->random = random_start(seed, 1);
    for (int axis = 0; axis < 3; axis++)
        imu->bias[axis] = GYRO_BIAS * (2.0 * random_uniform(&imu->random) - 1.0);
    imu->bus = avr_alloc_irq(&avr->irq_pool, 0, 2, names);
    avr_irq_register_notify(imu->bus + TWI_IRQ_OUTPUT, hear, imu);
    avr_connect_irq(imu->bus + TWI_IRQ_INPUT,
                    avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_INPUT));
    avr_connect_irq(avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_OUTPUT),
                    imu->bus + TWI_IRQ_OUTPUT);
    imu_power(imu, true);
}

void imu_turn(imu *imu, double yaw_rate) {
    imu->is_turned = !isnan(yaw_rate);
    if (imu->is_turned) imu->yaw_rate = yaw_rate;
}

void imu_move(imu *imu, const drive *drive, double dt) {
    double left = drive->track[LEFT].speed, right = drive->track[RIGHT].speed;
    double forward = 0.5 * (left + right);
    if (!imu->is_turned) imu->yaw_rate = (right - left) / TRACK_DISTANCE * 180.0 / M_PI;
    imu->acceleration = (forward - imu->forward_speed) / dt / GRAVITY;
    imu->forward_speed = forward;
}
