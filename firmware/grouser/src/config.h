/* Every constant of the firmware, with its unit. Pins: see the wiring table in ../../README.md. */
#pragma once

#ifndef F_CPU
#define F_CPU 16000000UL /* [Hz] */
#endif

/* --- wiring: ports and bits -------------------------------------------------------------- */
/* Driver L293D, enable inputs: OC4A and OC4B, timer 4, board pins 6 and 7. */
#define ENABLE_PORT PORTH
#define ENABLE_DDR DDRH
#define ENABLE_LEFT PH3
#define ENABLE_RIGHT PH4
/* Driver L293D, direction inputs: board pins 22 to 25. */
#define DIRECTION_PORT PORTA
#define DIRECTION_DDR DDRA
#define FORWARD_LEFT PA0
#define BACKWARD_LEFT PA1
#define FORWARD_RIGHT PA2
#define BACKWARD_RIGHT PA3
/* Encoders: two bits a side, channel A below channel B; board pins 53, 52 and 51, 50. */
#define ENCODER_PINS PINB
#define ENCODER_PORT PORTB
#define ENCODER_DDR DDRB
#define ENCODER_SHIFT_LEFT 0
#define ENCODER_SHIFT_RIGHT 2
#define ENCODER_MASK 0x0F
/* Battery: analog input A0 behind a divider of two equal resistors. */
#define BATTERY_CHANNEL 0
#define BATTERY_FULL_SCALE 10000UL /* [mV] at the reading 1024 */
/* MPU6050 on SDA and SCL, board pins 20 and 21. */
#define IMU_ADDRESS 0x68
#define IMU_CLOCK_PORT PORTD
#define IMU_CLOCK_DDR DDRD
#define IMU_CLOCK PD0
#define IMU_BUS 400000UL /* [Hz] */

/* --- time -------------------------------------------------------------------------------- */
#define TICK_US 1000         /* [us] lease and schedule are counted in these */
#define CONTROL_MS 5         /* [ms] period of the control loop */
#define STAMP_US 4           /* [us] a step of the time stamps of encoder edges */
#ifndef CLOCK_START_US
#define CLOCK_START_US 0UL   /* [us] what the 32 bit clock shows at boot */
#endif

/* --- link -------------------------------------------------------------------------------- */
#define BAUD_RATE 250000UL   /* [bit/s] */
#define RATE_MIN 10          /* [Hz] */
#define RATE_MAX 200         /* [Hz] */
#define LEASE_MIN 50         /* [ms] */
#define LEASE_MAX 500        /* [ms] */
#define LEASE_MARGIN_US 100  /* [us] for the delay of the tick interrupt */
#define SPEED_MAX 5000       /* [0.1 mm/s] largest set-point */
#define DUTY_MAX 1000        /* [1/1000] */
#define FRAME_MAX 80         /* [byte] longest frame on the wire, without its 00 */
#define POLL_MAX 32          /* [byte] read before the control loop has its turn again */

/* --- tracks ------------------------------------------------------------------------------ */
#define COUNTS_PER_REVOLUTION 360UL
#define WHEEL_RADIUS_UM 24000UL /* [um] */
/* Speed [0.1 mm/s] of one count in one step of the time stamp: 2 pi r / counts / step. */
#define SPEED_OF_COUNT \
    ((int32_t)(6.283185307 * WHEEL_RADIUS_UM * 1e4 / COUNTS_PER_REVOLUTION / STAMP_US + 0.5))
#define STANDSTILL_MS 200    /* [ms] without an edge: the track stands (stamps wrap at 262 ms) */

/* --- speed control: duty = dead band + slope * set-point + P + I ------------------------- */
#define DEAD_BAND 150        /* [1/1000] duty that does not yet move the track */
#define SLOPE_256 62         /* [1/1000 / 256 per 0.1 mm/s] 850/1000 duty for 0.35 m/s */
#define GAIN_P_256 102       /* [1/1000 / 256 per 0.1 mm/s] */
#define GAIN_I_4096 41       /* [1/1000 / 4096 per 0.1 mm/s and control period] 2 per second */
#define INTEGRAL_MAX 500     /* [1/1000] */
#define LAG_MS 160           /* [ms] of a track: P and I expect a speed that lags as much */

/* --- faults ------------------------------------------------------------------------------ */
#define DRIVING_DUTY 170     /* [1/1000] a duty that must move the track */
#define STALL_MS 300         /* [ms] of such a duty without an edge */
#define RUNAWAY_SPEED 100    /* [0.1 mm/s] against the duty */
#define RUNAWAY_MS 60        /* [ms] of such a speed that does not fall */
#define BATTERY_LOW 5000     /* [mV] */
#define BATTERY_LOW_MS 300   /* [ms] below it */
#define IMU_MISSES 2         /* control periods without a sample: the sensor is lost */
