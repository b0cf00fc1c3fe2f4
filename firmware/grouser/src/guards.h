/* The safety functions, each of which can be left out at build time with -DWITH_NAME=0. Builds
 * without one exist to prove that the tests notice; never drive a robot with them. */
#pragma once

#ifndef WITH_LEASE
#define WITH_LEASE 1
#endif
#ifndef WITH_WATCHDOG
#define WITH_WATCHDOG 1
#endif
#ifndef WITH_CRC
#define WITH_CRC 1
#endif
#ifndef WITH_STALL
#define WITH_STALL 1
#endif
#ifndef WITH_RUNAWAY
#define WITH_RUNAWAY 1
#endif
#ifndef WITH_SEQ_CHECK
#define WITH_SEQ_CHECK 1
#endif
#ifndef WITH_RANGE_CHECK
#define WITH_RANGE_CHECK 1
#endif
#ifndef WITH_IMU_FLAG
#define WITH_IMU_FLAG 1
#endif
#ifndef WITH_BATTERY
#define WITH_BATTERY 1
#endif
#ifndef WITH_ESTOP_LATCH
#define WITH_ESTOP_LATCH 1
#endif
#ifndef WITH_LINK_ID
#define WITH_LINK_ID 1
#endif
#ifndef WITH_PROTOCOL_CHECK
#define WITH_PROTOCOL_CHECK 1
#endif
#ifndef WITH_LEASE_LATCH
#define WITH_LEASE_LATCH 1
#endif
#ifndef WITH_WAIT_HELLO
#define WITH_WAIT_HELLO 1
#endif
