#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "modes.h"

#define STEP_MAX 60000000ul /* [us] */
#define TURN_MAX 2000.0     /* [deg/s] */

static uint64_t now_us;

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Bytes in place of their digits; -1 for what is no hex. */
static long unhex(char *text) {
    size_t digits = strlen(text);
    if (strcmp(text, "-") == 0) return 0;
    if (digits % 2) return -1;
    for (size_t i = 0; i < digits / 2; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return -1;
        text[i] = (char)(high << 4 | low);
    }
    return digits / 2;
}

static void print_received(line *line) {
    uint8_t bytes[256];
    size_t length, total = 0;
    while ((length = line_receive(line, bytes, sizeof bytes)) > 0) {
        for (size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
        total += length;
    }
    if (total == 0) putchar('-');
}

static void step(board *board, char *arguments) {
    char *duration = strtok(arguments, " "), *hex = strtok(NULL, " "), *end = NULL;
    unsigned long us = duration ? strtoul(duration, &end, 10) : 0;
    long length = hex ? unhex(hex) : -1;
    if (!duration || *end || *duration == '-' || us > STEP_MAX || length < 0 || strtok(NULL, " ")) {
        printf("error step takes microseconds up to %lu and bytes in hex, or - for none\n",
               STEP_MAX);
        return;
    }
    if (!line_send(&board->line, (uint8_t *)hex, length)) {
        printf("error the line still holds %d bytes that were not sent\n", LINE_QUEUE);
        return;
    }
    now_us += us;
    if (!board_run_until(board, now_us)) {
        printf("error the firmware crashed\n");
        return;
    }
    const drive *drive = &board->drive;
    printf("ok %llu ", (unsigned long long)now_us);
    print_received(&board->line);
    printf(" %d %d %.9g %.9g %u\n", drive->enabled[LEFT], drive->enabled[RIGHT],
           drive->track[LEFT].speed, drive->track[RIGHT].speed, board->resets);
}

static void pins(const board *board) {
    printf("ok %llu %llu\n",
           (unsigned long long)board_us(board, board->drive.enabled_since[LEFT]),
           (unsigned long long)board_us(board, board->drive.enabled_since[RIGHT]));
}

/* The robot turns at a rate that its belts alone do not say: they slip. */
static void turn(board *board, const char *argument) {
    char *end;
    double rate = strcmp(argument, "-") == 0 ? NAN : strtod(argument, &end);
    if (!isnan(rate) && (end == argument || *end || fabs(rate) > TURN_MAX)) {
        printf("error turn takes a yaw rate up to %g deg/s, or - for that of the belts\n", TURN_MAX);
        return;
    }
    imu_turn(&board->imu, rate);
    printf("ok\n");
}

/* Obeys one line; false to end. */
static bool obey(board *board, char *line) {
    char *arguments = strchr(line, ' ');
    arguments = arguments ? (*arguments = 0, arguments + 1) : line + strlen(line);
    if (strcmp(line, "quit") == 0) return false;
    if (strcmp(line, "step") == 0) {
        step(board, arguments);
    } else if (strcmp(line, "pins") == 0) {
        pins(board);
    } else if (strcmp(line, "turn") == 0) {
        turn(board, arguments);
    } else if (strcmp(line, "fault") == 0) {
        const char *wrong = faults_obey(board, arguments);
        printf(wrong ? "error %s\n" : "ok\n", wrong);
    } else {
        printf("error a line begins with step, pins, turn, fault or quit\n");
    }
    fflush(stdout);
    return true;
}

int run_lockstep(board *board) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    printf("ready lockstep\n");
    fflush(stdout);
    while ((length = getline(&line, &room, stdin)) >= 0) {
        if (length > 0 && line[length - 1] == '\n') line[length - 1] = 0;
        if (!obey(board, line)) break;
    }
    free(line);
    return 0;
}
