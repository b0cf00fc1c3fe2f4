/* The messages of protocol v1, byte for byte as in ../../protocol.md. */
#pragma once

#include <stdint.h>

#define PROTOCOL 1

enum message_type {
    HELLO = 0x01, ARM = 0x02, CMD = 0x03, PING = 0x04, ESTOP = 0x05,
    BOOT = 0x80, HELLO_ACK = 0x81, STATE = 0x83, PONG = 0x84, NAK = 0x8F,
};

enum nak_reason {
    WRONG_PROTOCOL = 1, WRONG_LINK = 2, OLD_SEQ = 3, OUT_OF_RANGE = 4,
    NOT_ARMED = 5, UNKNOWN_TYPE = 6, WRONG_LENGTH = 7, FAULTY = 8,
};

enum command_mode { MODE_SPEED = 0, MODE_DUTY = 1 };

#define PACKED __attribute__((packed))

struct PACKED hello { uint8_t protocol; uint16_t link_id, rate_hz, lease_ms; };
struct PACKED arm { uint16_t link_id; };
struct PACKED command {
    uint16_t link_id, seq;
    uint32_t t_host_us;
    int16_t left, right;
    uint8_t mode;
};
struct PACKED ping { uint16_t seq; uint32_t t_host_us; };

struct PACKED boot { uint8_t protocol, mcusr; uint16_t boot_count; };
struct PACKED hello_ack {
    uint8_t protocol;
    uint16_t link_id;
    uint8_t mcusr;
    uint16_t boot_count;
    uint32_t period_us, firmware_hash;
    uint16_t counts_per_revolution;
};
struct PACKED state_message {
    uint16_t link_id, seq;
    uint32_t t_us;
    uint16_t cmd_seq;
    uint8_t state;
    uint16_t faults;
    int32_t encoder[2];
    int16_t speed[2], duty[2], setpoint[2];
    int16_t gyro[3], accel[3];
    uint16_t battery_mv, crc_errors, overruns, worst_loop_us;
};
struct PACKED pong { uint16_t seq; uint32_t t_host_us, t_rx_us, t_tx_us; };
struct PACKED nak { uint8_t refused, reason; uint16_t link_id, seq; };
