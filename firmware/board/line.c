#include "line.h"

#include <string.h>

#define CHARACTER 640          /* [cycle] ten bits at 250000 baud */
#define RECEIVER 3             /* [byte] two in the buffer, one in the shift register */

static bool full(const line_queue *queue) { return queue->head - queue->tail == LINE_QUEUE; }

static void push(line_queue *queue, uint8_t byte, uint64_t due) {
    queue->byte[queue->head % LINE_QUEUE] = byte;
    queue->due[queue->head % LINE_QUEUE] = due;
    queue->head++;
}

/* Whether a byte gets through; it may come out with a flipped bit. */
static bool pass(line *line, uint8_t *byte) {
    if (line->down) return false;
    if (line->lose > 0.0 && random_uniform(&line->random) < line->lose) return false;
    if (line->flip > 0.0 && random_uniform(&line->random) < line->flip)
        *byte ^= 1 << (random_bits(&line->random) >> 61);
    return true;
}

static unsigned unread(const uart_fifo_t *input) {
    return (input->write + uart_fifo_fifo_size - input->read) % uart_fifo_fifo_size;
}

/* The simulated receiver holds 64 bytes; the real one loses what does not fit into three. */
static void enter_chip(line *line, uint8_t byte) {
    if (unread(&line->uart->input) >= RECEIVER)
        avr_regbit_set(line->avr, line->uart->dor);
    else
        avr_raise_irq(line->uart->io.irq + UART_IRQ_INPUT, byte);
}

static avr_cycle_count_t feed(avr_t *avr, avr_cycle_count_t when, void *param) {
    line *line = param;
    line_queue *queue = &line->to_chip;
    (void)avr;
    if (queue->head == queue->tail) return 0;
    uint8_t byte = queue->byte[queue->tail++ % LINE_QUEUE];
    line->chip_free = when + CHARACTER;
    if (pass(line, &byte)) enter_chip(line, byte);
    return queue->head == queue->tail ? 0 : line->chip_free;
}

static void start_feeding(line *line) {
    uint64_t now = line->avr->cycle;
    if (line->to_chip.head == line->to_chip.tail) return;
    if (avr_cycle_timer_status(line->avr, feed, line) != 0) return;
    uint64_t wait = line->chip_free > now ? line->chip_free - now : 1;
    avr_cycle_timer_register(line->avr, wait, feed, line);
}

bool line_send(line *line, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (full(&line->to_chip)) return false;
        push(&line->to_chip, bytes[i], 0);
    }
    start_feeding(line);
    return true;
}

static void leave_chip(struct avr_irq_t *irq, uint32_t value, void *param) {
    line *line = param;
    uint8_t byte = value;
    uint64_t now = line->avr->cycle;
    (void)irq;
    line->host_free = (line->host_free > now ? line->host_free : now) + CHARACTER;
    if (!line->mute && pass(line, &byte) && !full(&line->to_host))
        push(&line->to_host, byte, line->host_free);
}

size_t line_receive(line *line, uint8_t *bytes, size_t room) {
    line_queue *queue = &line->to_host;
    size_t length = 0;
    while (length < room && queue->tail != queue->head &&
           queue->due[queue->tail % LINE_QUEUE] <= line->avr->cycle)
        bytes[length++] = queue->byte[queue->tail++ % LINE_QUEUE];
    return length;
}

/* The simulator counts eleven bits a character. */
void line_correct(line *line) {
    if (line->uart->cycles_per_byte == line->corrected) return;
    line->corrected = line->uart->cycles_per_byte * 10 / 11;
    line->uart->cycles_per_byte = line->corrected;
}

static avr_uart_t *find_uart(avr_t *avr) {
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (strcmp(io->kind, "uart") == 0 && ((avr_uart_t *)io)->name == '0')
            return (avr_uart_t *)io;
    return NULL;
}

void line_attach(line *line, avr_t *avr, uint64_t seed) {
    uint32_t quiet = 0;
    line->avr = avr;
    line->uart = find_uart(avr);
    line->random = random_start(seed, 2);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &quiet);
    avr_irq_register_notify(line->uart->io.irq + UART_IRQ_OUTPUT, leave_chip, line);
}

/* A byte on its way out is cut off; bytes on their way in keep coming. */
void line_after_reset(line *line) {
    line->to_host.head = line->to_host.tail;
    line->corrected = 0;
    start_feeding(line);
}
