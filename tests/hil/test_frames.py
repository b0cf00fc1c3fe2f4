"""Messages in a stream of bytes."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.hil.frames import LONGEST_FRAME, FrameDecoder, encode_frame, encode_message
from grouser.hil.messages import KINDS, Cmd, Hello, Message, State, pack, unpack

CMD = Cmd(7, 3, 123456, -1000, 1000)


def example(kind: type[Message]) -> Message:
    numbers = kind.LAYOUT.unpack(bytes(range(1, kind.LAYOUT.size + 1)))
    return kind(*numbers)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.__name__)
def test_every_message_comes_back_as_it_was_sent(kind):
    message = example(kind)
    assert FrameDecoder().feed(encode_message(message)) == [message]


def test_the_bytes_are_those_of_the_protocol():
    # CRC-16/CCITT-FALSE of "123456789" is 0x29B1, by the catalogue of CRC algorithms.
    assert encode_frame(b"123456789") == b"\x0c123456789\xb1\x29\x00"
    assert pack(Hello(1, 2, 100, 100)) == bytes.fromhex("01 01 0200 6400 6400")
    assert State.LAYOUT.size == 53


def test_a_state_fits_into_a_frame():
    assert len(encode_message(example(State))) <= LONGEST_FRAME


@given(st.binary(max_size=300), st.integers(1, 300))
def test_however_the_stream_is_cut_the_messages_are_the_same(junk, size):
    stream = junk + b"\x00" + encode_message(CMD) + encode_message(CMD)
    whole, cut = FrameDecoder(), FrameDecoder()
    messages = whole.feed(stream)
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert [m for piece in pieces for m in cut.feed(piece)] == messages
    assert cut.counts == whole.counts
    assert messages[-2:] == [CMD, CMD]


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_no_bytes_whatever_make_the_decoder_raise(chunks):
    decoder = FrameDecoder()
    for chunk in chunks:
        for message in decoder.feed(chunk):
            assert unpack(pack(message)) == message


@pytest.mark.parametrize("flips", [1, 2])
def test_flipped_bits_are_never_taken_for_another_message(flips):
    frame, chance = bytearray(encode_message(CMD)), random.Random(flips)
    for _ in range(5000):
        damaged = bytearray(frame)
        for bit in chance.sample(range(8 * len(frame)), flips):
            damaged[bit // 8] ^= 1 << bit % 8
        assert FrameDecoder().feed(bytes(damaged) + b"\x00") == []


def test_damage_is_counted_by_kind():
    decoder = FrameDecoder()
    decoder.feed(b"\x05ab\x00" + b"x" * 200 + b"\x00" + encode_frame(b"\x77??"))
    counts = decoder.counts
    assert (counts.crc, counts.long, counts.unknown, counts.bad) == (1, 1, 1, 3)


def test_junk_without_end_takes_no_memory():
    decoder = FrameDecoder()
    for _ in range(1000):
        decoder.feed(b"\x55" * 1000)
    assert len(decoder._pending) <= LONGEST_FRAME
    assert decoder.feed(b"\x00" + encode_message(CMD)) == [CMD]
