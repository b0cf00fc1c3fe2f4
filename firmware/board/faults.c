#include "faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hang.h"

#define WORDS 4

static bool is(const char *word, const char *wanted) { return word && strcmp(word, wanted) == 0; }

/* A number within bounds, or NAN. */
static double number(const char *word, double least, double most) {
    char *end;
    double value = word ? strtod(word, &end) : NAN;
    return word && *word && *end == 0 && value >= least && value <= most ? value : NAN;
}

static const char *link_fault(board *board, char **word) {
    line *line = &board->line;
    double p = number(word[2], 0.0, 1.0);
    if (is(word[1], "down")) line->down = true;
    else if (is(word[1], "up")) line->down = line->mute = false;
    else if (is(word[1], "mute")) line->mute = true;
    else if (is(word[1], "clear")) line->down = line->mute = false, line->lose = line->flip = 0.0;
    else if (is(word[1], "lose") && !isnan(p)) line->lose = p;
    else if (is(word[1], "flip") && !isnan(p)) line->flip = p;
    else return "link takes down, up, mute, clear, lose P or flip P with P from 0 to 1";
    return NULL;
}

static track *side_of(board *board, const char *word) {
    if (is(word, "left")) return &board->drive.track[LEFT];
    if (is(word, "right")) return &board->drive.track[RIGHT];
    return NULL;
}

static const char *encoder_fault(board *board, char **word) {
    track *track = side_of(board, word[1]);
    if (!track || !(is(word[2], "stuck") || is(word[2], "swapped") || is(word[2], "ok")))
        return "encoder takes left or right, then stuck, swapped or ok";
    track->encoder_stuck = is(word[2], "stuck");
    track->encoder_swapped = is(word[2], "swapped");
    return NULL;
}

static const char *motor_fault(board *board, char **word) {
    track *track = side_of(board, word[1]);
    if (!track || !(is(word[2], "swapped") || is(word[2], "ok")))
        return "motor takes left or right, then swapped or ok";
    track->motor_swapped = is(word[2], "swapped");
    return NULL;
}

static const char *track_fault(board *board, char **word) {
    track *track = side_of(board, word[1]);
    if (!track || !(is(word[2], "blocked") || is(word[2], "free")))
        return "track takes left or right, then blocked or free";
    track->blocked = is(word[2], "blocked");
    return NULL;
}

static const char *imu_fault(board *board, char **word) {
    if (!is(word[1], "on") && !is(word[1], "off")) return "imu takes on or off";
    imu_power(&board->imu, is(word[1], "on"));
    return NULL;
}

static const char *battery_fault(board *board, char **word) {
    double volts = number(word[1], 0.0, 10.0);
    if (isnan(volts)) return "battery takes a voltage from 0 to 10";
    board_set_battery(board, volts);
    return NULL;
}

static const char *reset_fault(board *board, char **word) {
    if (is(word[1], "power")) hang_reset(board, RESET_POWER);
    else if (is(word[1], "external")) hang_reset(board, RESET_EXTERNAL);
    else if (is(word[1], "brownout")) hang_reset(board, RESET_BROWNOUT);
    else return "reset takes brownout, external or power";
    return NULL;
}

static const char *hang_fault(board *board, char **word) {
    if (is(word[1], "loop")) hang_start(board, true);
    else if (is(word[1], "all")) hang_start(board, false);
    else return "hang takes loop or all";
    return NULL;
}

static const char *clock_fault(board *board, char **word) {
    double ppm = number(word[1], -100000.0, 100000.0);
    if (isnan(ppm)) return "clock takes parts per million from -100000 to 100000";
    board_set_clock(board, (int32_t)ppm);
    return NULL;
}

static const struct {
    const char *name;
    unsigned words;
    const char *(*obey)(board *board, char **word);
} FAULTS[] = {
    {"link", 3, link_fault}, {"encoder", 3, encoder_fault}, {"motor", 3, motor_fault},
    {"track", 3, track_fault}, {"imu", 2, imu_fault}, {"battery", 2, battery_fault},
    {"reset", 2, reset_fault}, {"hang", 2, hang_fault}, {"clock", 2, clock_fault},
};

const char *faults_obey(board *board, char *words) {
    char *word[WORDS] = {NULL};
    unsigned count = 0;
    for (char *next = strtok(words, " "); next && count < WORDS; next = strtok(NULL, " "))
        word[count++] = next;
    for (unsigned i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++)
        if (is(word[0], FAULTS[i].name)) {
            if (count > FAULTS[i].words) return "there are words too many in this fault";
            return FAULTS[i].obey(board, word);
        }
    return "a fault begins with link, encoder, motor, track, imu, battery, reset, hang or clock";
}
