#include "hang.h"

#include <string.h>

#include "random.h"

#define RJMP_TO_ITSELF 0xCFFF

/* The instruction at which the program stands is replaced by a jump to itself. A loop that hangs is
 * the main program, not an interrupt: that is let through first. */
void hang_start(board *board, bool interrupts) {
    avr_t *avr = board->avr;
    hang_end(board);
    while (interrupts && !avr->sreg[S_I]) avr_run(avr);
    if (!interrupts) {
        avr->sreg[S_I] = 0;
        avr->state = cpu_Running;
    }
    board->hang_address = avr->pc;
    memcpy(&board->hang_saved, avr->flash + avr->pc, sizeof board->hang_saved);
    uint16_t loop = RJMP_TO_ITSELF;
    memcpy(avr->flash + avr->pc, &loop, sizeof loop);
}

void hang_end(board *board) {
    if (board->hang_address == UINT32_MAX) return;
    memcpy(board->avr->flash + board->hang_address, &board->hang_saved, sizeof board->hang_saved);
    board->hang_address = UINT32_MAX;
}

static void forget_memory(board *board) {
    random_stream random = random_start(board->seed, 3 + board->resets);
    for (unsigned at = board->avr->ioend + 1; at <= board->avr->ramend; at++)
        board->avr->data[at] = random_bits(&random);
}

void hang_reset(board *board, reset_cause cause) {
    avr_t *avr = board->avr;
    if (cause == RESET_POWER) forget_memory(board);
    avr_reset(avr);
    if (cause == RESET_POWER) avr_regbit_set(avr, avr->reset_flags.porf);
    if (cause == RESET_EXTERNAL) avr_regbit_set(avr, avr->reset_flags.extrf);
    if (cause == RESET_BROWNOUT) avr_regbit_set(avr, avr->reset_flags.borf);
}
