/* The serial line at 250000 baud, 8N1: bytes take their time, can be lost and can be damaged. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <avr_uart.h>
#include <sim_avr.h>

#include "random.h"

#define LINE_QUEUE 65536 /* [byte] */

typedef struct {
    uint8_t byte[LINE_QUEUE];
    uint64_t due[LINE_QUEUE];  /* [cycle] when it has arrived */
    uint32_t head, tail;
} line_queue;

typedef struct {
    avr_t *avr;
    avr_uart_t *uart;
    random_stream random;
    line_queue to_chip, to_host;
    uint64_t chip_free, host_free; /* [cycle] when the line in that direction is free */
    uint64_t corrected;            /* [cycle] a character, as the board has set it */
    bool down, mute;
    double lose, flip;             /* probability of a byte [1] */
} line;

void line_attach(line *line, avr_t *avr, uint64_t seed);
void line_after_reset(line *line);
void line_correct(line *line);
bool line_send(line *line, const uint8_t *bytes, size_t length); /* host to chip */
size_t line_receive(line *line, uint8_t *bytes, size_t room);    /* what came from the chip */
