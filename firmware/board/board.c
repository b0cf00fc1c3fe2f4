#include "board.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include <avr_adc.h>
#include <sim_elf.h>

#include "chip.h"
#include "hang.h"

#define PLANT_US 100            /* [us] a step of the models */
#define CYCLES_BETWEEN_LOOKS 200 /* the chip may run so long before its timers are looked at */

static void sleep_no_time(avr_t *avr, avr_cycle_count_t how_long) {
    (void)avr;
    (void)how_long;
}

static void log_nothing(avr_t *avr, const int level, const char *format, va_list arguments) {
    (void)avr;
    (void)level;
    (void)format;
    (void)arguments;
}

/* Cycles for a board time: a clock that is fast has more of them. */
static uint64_t cycle_at(const board *board, uint64_t us) {
    uint64_t since = us - board->us_base;
    return board->cycle_base + since * CYCLES_PER_US * (1000000 + board->clock_ppm) / 1000000;
}

uint64_t board_us(const board *board, uint64_t cycle) {
    uint64_t since = cycle - board->cycle_base;
    return board->us_base + since * 1000000 / (1000000 + board->clock_ppm) / CYCLES_PER_US;
}

void board_set_clock(board *board, int32_t ppm) {
    uint64_t us = board_us(board, board->avr->cycle);
    board->cycle_base = board->avr->cycle;
    board->us_base = us;
    board->clock_ppm = ppm;
}

void board_set_battery(board *board, double volts) {
    board->battery = volts;
    avr_raise_irq(avr_io_getirq(board->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0),
                  (uint32_t)(volts / 2.0 * 1000.0 + 0.5)); /* two equal resistors */
}

static avr_cycle_count_t step_plant(avr_t *avr, avr_cycle_count_t when, void *param) {
    board *board = param;
    (void)avr;
    drive_step(&board->drive, PLANT_US * 1e-6, board->battery);
    imu_move(&board->imu, &board->drive, PLANT_US * 1e-6);
    line_correct(&board->line);
    return when + PLANT_US * CYCLES_PER_US * (1000000 + board->clock_ppm) / 1000000;
}

static avr_cycle_count_t stop_here(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    (void)param;
    return 0; /* the event alone keeps a sleeping chip from jumping further */
}

static void note_reset(avr_t *avr) {
    board *board = avr->custom.data;
    board->was_reset = true;
}

/* A reset of the chip forgets all timers and levels that the board had set. */
static void attach_again(board *board) {
    avr_t *avr = board->avr;
    board->was_reset = false;
    hang_end(board);
    avr->run_cycle_limit = CYCLES_BETWEEN_LOOKS;
    avr_cycle_timer_register(avr, PLANT_US * CYCLES_PER_US, step_plant, board);
    drive_after_reset(&board->drive);
    line_after_reset(&board->line);
    board_set_battery(board, board->battery);
}

/* The loader believes any file: look first whether it is a program for this family of chips. */
static bool is_for_avr(const char *elf) {
    uint8_t header[20] = {0};
    FILE *file = fopen(elf, "rb");
    if (!file) return false;
    size_t got = fread(header, 1, sizeof header, file);
    fclose(file);
    return got == sizeof header && memcmp(header, "\177ELF\1", 5) == 0 && header[18] == EM_AVR;
}

static bool load(board *board, const char *elf) {
    static elf_firmware_t firmware;
    avr_global_logger_set(log_nothing); /* stdout is for answers */
    if (!is_for_avr(elf) || elf_read_firmware(elf, &firmware) != 0 || firmware.flashsize == 0) {
        fprintf(stderr, "%s is not a firmware for an AVR chip; `make firmware` builds one\n", elf);
        return false;
    }
    board->avr = avr_make_mcu_by_name(CHIP);
    avr_init(board->avr);
    board->avr->frequency = CYCLES_PER_US * 1000000;
    board->avr->vcc = board->avr->avcc = 5000;
    board->avr->sleep = sleep_no_time;
    board->avr->custom.data = board;
    avr_load_firmware(board->avr, &firmware);
    return true;
}

bool board_start(board *board, const char *elf, uint64_t seed, bool mirror) {
    memset(board, 0, sizeof *board);
    board->seed = seed;
    board->hang_address = UINT32_MAX;
    if (!load(board, elf)) return false;
    drive_attach(&board->drive, board->avr, mirror);
    imu_attach(&board->imu, board->avr, seed);
    line_attach(&board->line, board->avr, seed);
    board->battery = 7.4;
    attach_again(board);
    board->avr->reset = note_reset;
    return true;
}

bool board_run_until(board *board, uint64_t us) {
    avr_t *avr = board->avr;
    uint64_t target = cycle_at(board, us);
    while (avr->cycle < target) {
        if (avr_cycle_timer_status(avr, stop_here, board) == 0)
            avr_cycle_timer_register(avr, target - avr->cycle, stop_here, board);
        int state = avr_run(avr);
        if (board->was_reset) {
            board->resets++;
            attach_again(board);
        }
        if (state == cpu_Crashed || state == cpu_Done) return false;
    }
    return true;
}
