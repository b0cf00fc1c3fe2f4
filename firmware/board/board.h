/* The simulated board: a chip that runs the firmware, and what is wired to it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <sim_avr.h>

#include "drive.h"
#include "imu.h"
#include "line.h"

typedef struct board {
    avr_t *avr;
    drive drive;
    imu imu;
    line line;
    double battery;             /* [V] */
    int32_t clock_ppm;          /* how much the chip's clock is fast [1e-6] */
    uint64_t cycle_base;        /* chip cycle and ... */
    uint64_t us_base;           /* ... board time [us] since when the clock is that fast */
    uint64_t seed;
    unsigned resets;            /* since the start */
    bool was_reset;             /* the chip was reset and the board has not seen to it yet */
    uint16_t hang_saved;        /* the instruction a hang replaced */
    uint32_t hang_address;      /* where, UINT32_MAX without a hang */
} board;

bool board_start(board *board, const char *elf, uint64_t seed, bool mirror);
bool board_run_until(board *board, uint64_t us);    /* false: the firmware crashed */
uint64_t board_us(const board *board, uint64_t cycle);
void board_set_clock(board *board, int32_t ppm);
void board_set_battery(board *board, double volts);
