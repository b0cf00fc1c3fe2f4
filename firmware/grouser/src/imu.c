#include "imu.h"

#include <string.h>

#include "config.h"
#include "guards.h"
#include "twi.h"

enum step { WAKE, FILTER, SAMPLE };

#define SAMPLE_BYTES 14 /* acceleration, temperature, rotation: three words, one, three */

static const uint8_t wake[] = {0x6B, 0x01};     /* PWR_MGMT_1: awake, clock of the x gyro */
static const uint8_t filter[] = {0x1A, 0x03};   /* CONFIG: low pass 44 Hz; default ranges */
static const uint8_t first[] = {0x3B};          /* ACCEL_XOUT_H */

static uint8_t step = WAKE;
static uint8_t misses = IMU_MISSES;
static uint8_t raw[SAMPLE_BYTES];
static struct imu sample;

static int16_t word_at(uint8_t index) {
    return (int16_t)((uint16_t)raw[index] << 8 | raw[index + 1]);
}

/* A sensor that lost power and woke asleep acknowledges, and reads zero everywhere. */
static bool take_sample(void) {
    uint8_t any = 0;
    for (uint8_t i = 0; i < SAMPLE_BYTES; i++) any |= raw[i];
    if (!any) return false;
    for (uint8_t axis = 0; axis < 3; axis++) {
        sample.accel[axis] = word_at(2 * axis);
        sample.gyro[axis] = word_at(8 + 2 * axis);
    }
    return true;
}

static void start_step(void) {
    if (step == WAKE)
        twi_start(IMU_ADDRESS, wake, sizeof wake, raw, 0);
    else if (step == FILTER)
        twi_start(IMU_ADDRESS, filter, sizeof filter, raw, 0);
    else
        twi_start(IMU_ADDRESS, first, sizeof first, raw, SAMPLE_BYTES);
}

void imu_setup(void) {
    twi_setup();
    start_step();
}

void imu_poll(void) {
    bool good = !twi_busy() && twi_succeeded();
    if (twi_busy()) twi_release();
    if (good && step == SAMPLE) good = take_sample();
    if (good && step == SAMPLE)
        misses = 0;
    else if (misses < IMU_MISSES)
        misses++;
    if (!good)
        step = WAKE;
    else if (step != SAMPLE)
        step++;
    start_step();
}

bool imu_lost(void) { return WITH_IMU_FLAG && misses >= IMU_MISSES; }

struct imu imu_sample(void) {
    if (imu_lost()) memset(&sample, 0, sizeof sample);
    return sample;
}
