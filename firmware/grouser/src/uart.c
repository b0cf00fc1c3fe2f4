#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "clock.h"
#include "config.h"

/* Rings of 256: 8 bit indices wrap by themselves. */
static volatile uint8_t received[256], to_send[256];
static volatile uint8_t received_head, received_tail, send_head, send_tail;
static volatile uint16_t overruns;
static volatile uint32_t zero_us;

void uart_setup(void) {
    UCSR0A = _BV(U2X0);
    UBRR0 = F_CPU / 8 / BAUD_RATE - 1;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

ISR(USART0_RX_vect) {
    uint8_t status = UCSR0A;
    uint8_t byte = UDR0;
    uint8_t next = received_head + 1;
    if (status & _BV(DOR0)) overruns++;
    if (next == received_tail) {
        overruns++;
        return;
    }
    received[received_head] = byte;
    received_head = next;
    if (byte == 0) zero_us = clock_us();
}

ISR(USART0_UDRE_vect) {
    if (send_head == send_tail)
        UCSR0B &= ~_BV(UDRIE0);
    else
        UDR0 = to_send[send_tail++];
}

bool uart_waiting(void) { return received_head != received_tail; }

bool uart_read(uint8_t *byte) {
    if (!uart_waiting()) return false;
    *byte = received[received_tail++];
    return true;
}

uint16_t uart_queued(void) { return (uint8_t)(send_head - send_tail); }

uint16_t uart_room(void) { return 255 - uart_queued(); }

void uart_write(uint8_t byte) {
    to_send[send_head] = byte;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        send_head++;
        UCSR0B |= _BV(UDRIE0);
    }
}

uint16_t uart_overruns(void) {
    uint16_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { count = overruns; }
    return count;
}

uint32_t uart_zero_us(void) {
    uint32_t when;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { when = zero_us; }
    return when;
}
