#include "frame.h"

#include <string.h>
#include <util/crc16.h>

#include "config.h"
#include "guards.h"
#include "uart.h"

static uint8_t buffer[FRAME_MAX];
static uint8_t filled;
static bool too_long;
static uint16_t errors;

/* CRC-16/CCITT-FALSE, a byte at a time (avr-libc's xmodem form is the same polynomial). */
static uint16_t crc_of(uint16_t crc, const uint8_t *data, uint8_t length) {
    while (length--) crc = _crc_xmodem_update(crc, *data++);
    return crc;
}

/* Undoes COBS in place; returns the length, or 0 for what no encoder writes. */
static uint8_t unstuff(uint8_t *data, uint8_t length) {
    uint8_t read = 0, written = 0;
    while (read < length) {
        uint8_t code = data[read++];
        if (code - 1 > length - read) return 0;
        for (uint8_t i = 1; i < code; i++) data[written++] = data[read++];
        if (read < length) data[written++] = 0;
    }
    return written;
}

static bool frame_open(struct frame *frame) {
    uint8_t length = too_long ? 0 : unstuff(buffer, filled);
    if (length < 3) return false;
    uint16_t crc = buffer[length - 2] | (uint16_t)buffer[length - 1] << 8;
    if (WITH_CRC && crc_of(0xFFFF, buffer, length - 2) != crc) return false;
    frame->type = buffer[0];
    frame->body = buffer + 1;
    frame->length = length - 3;
    return true;
}

bool frame_take(uint8_t byte, struct frame *frame) {
    if (byte != 0) {
        if (filled < FRAME_MAX)
            buffer[filled++] = byte;
        else
            too_long = true;
        return false;
    }
    bool empty = filled == 0;
    bool good = !empty && frame_open(frame);
    if (!empty && !good) errors++;
    filled = 0;
    too_long = false;
    return good;
}

/* Frames are shorter than 254 bytes: one run of COBS ends only at a 00 or at the end. */
static void write_stuffed(const uint8_t *data, uint8_t length) {
    uint8_t start = 0;
    for (uint8_t end = 0; end <= length; end++) {
        if (end < length && data[end] != 0) continue;
        uart_write(end - start + 1);
        while (start < end) uart_write(data[start++]);
        start++;
    }
    uart_write(0);
}

void frame_send(uint8_t type, const void *body, uint8_t length) {
    uint8_t plain[FRAME_MAX];
    if (uart_room() < length + 5u) return;
    plain[0] = type;
    memcpy(plain + 1, body, length);
    uint16_t crc = crc_of(0xFFFF, plain, length + 1);
    plain[length + 1] = crc & 0xFF;
    plain[length + 2] = crc >> 8;
    write_stuffed(plain, length + 3);
}

void frame_resynchronise(void) { uart_write(0); }

uint16_t frame_errors(void) { return errors; }
