"""The host's side of the protocol without a link: frames, connection, clock."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import InvalidValue
from grouser.hil.clock_sync import LONGEST_RTT, ClockSync
from grouser.hil.conversation import (
    Booted,
    Connected,
    Conversation,
    LinkBack,
    LinkLost,
    Refused,
    StateArrived,
)
from grouser.hil.frames import LONGEST_FRAME, FrameDecoder, Unwrapped, encode_frame, encode_message
from grouser.hil.messages import (
    KINDS,
    Arm,
    BoardState,
    Boot,
    Cmd,
    Estop,
    Hello,
    HelloAck,
    Message,
    Nak,
    Ping,
    Pong,
    Reason,
    State,
    pack,
    unpack,
)

ID = 0x1234
ACK = HelloAck(1, ID, 1, 1, 10_000, 0xABCD, 360)


def state(seq: int, *, link_id: int = ID, cmd_seq: int = 0, t_us: int | None = None) -> State:
    time = seq * 10_000 if t_us is None else t_us
    head = (link_id, seq % 65536, time % 2**32, cmd_seq, int(BoardState.ARMED), 0)
    return State(*head, *(0,) * 18)


def said(talk: Conversation) -> list[Message]:
    return FrameDecoder().feed(talk.take_outgoing())


def hear(talk: Conversation, now: float, *messages: Message):
    return talk.receive(b"".join(map(encode_message, messages)), now)


@pytest.fixture
def talk() -> Conversation:
    made = Conversation(ID)
    made.open(0.0)
    assert hear(made, 0.0, ACK) == [Connected(ACK)]
    made.arm()
    made.take_outgoing()
    return made


def test_hello_is_repeated_until_it_is_answered():
    talk = Conversation(ID, rate=50, command_timeout=0.2)
    talk.open(0.0)
    hello = Hello(1, ID, 50, 200)
    assert said(talk) == [hello]
    talk.tick(0.1)
    assert said(talk) == []
    talk.tick(0.3)
    assert said(talk) == [hello]
    hear(talk, 0.4, replace(ACK, period_us=20_000))
    talk.tick(0.9)
    assert hello not in said(talk)


def test_a_board_that_starts_is_waited_for():
    talk = Conversation(ID, boot_wait=2.0)
    talk.open(0.0)
    talk.tick(1.9)
    assert said(talk) == []
    boot = Boot(1, 2, 5)
    assert hear(talk, 1.95, boot) == [Booted(boot, was_connected=False)]
    assert [type(message) for message in said(talk)] == [Hello]


def test_a_reset_in_the_middle_begins_anew(talk):
    hear(talk, 0.01, state(1))
    (event,) = hear(talk, 0.02, Boot(1, 4, 2))
    assert event == Booted(Boot(1, 4, 2), was_connected=True)
    assert talk.ack is None
    assert [type(message) for message in said(talk)] == [Hello]
    assert hear(talk, 0.03, state(1)) == []


def test_commands_are_numbered_and_arming_is_a_word_of_its_own(talk):
    talk.arm()
    talk.command(0.1, -0.2, 1.5)
    talk.command(0.0, 0.0, 1.6)
    talk.estop()
    assert said(talk) == [
        Arm(ID),
        Cmd(ID, 1, 1_500_000, 1000, -2000),
        Cmd(ID, 2, 1_600_000, 0, 0),
        Estop(),
    ]


def test_of_several_states_only_the_newest_is_told(talk):
    events = hear(talk, 0.05, state(1), state(2), state(3))
    assert events == [StateArrived(state(3), 3, pytest.approx(0.03), skipped=2)]
    assert (talk.counts.states, talk.counts.skipped) == (3, 2)


def test_states_of_another_connection_are_not_ours(talk):
    assert hear(talk, 0.01, state(1, link_id=9)) == []


def test_gaps_are_counted_by_number_also_across_the_wrap(talk):
    hear(talk, 0.01, state(65534))
    hear(talk, 0.05, state(65538))
    assert talk.counts.missing == 3
    assert talk.last is not None
    assert talk.last.seq == 65538


def test_the_clock_goes_on_where_the_wire_wraps(talk):
    hear(talk, 0.01, state(1, t_us=2**32 - 5_000))
    hear(talk, 0.02, state(2, t_us=2**32 + 5_000))
    assert talk.last is not None
    assert talk.last.time == pytest.approx((2**32 + 5_000) * 1e-6)


def test_a_silent_board_is_lost_after_three_periods_and_a_millisecond(talk):
    hear(talk, 1.0, state(1))
    for now in (1.0, 1.01, 1.02, 1.0309):
        assert talk.tick(now) == []
    (lost,) = talk.tick(1.0311)
    assert isinstance(lost, LinkLost)
    assert talk.tick(1.1) == []
    assert hear(talk, 1.2, state(21))[0] == LinkBack()
    assert talk.counts.losses == 1


def test_a_host_that_stood_still_gives_the_board_three_periods_again(talk):
    hear(talk, 0.01, state(1))
    assert talk.tick(0.01) == []
    assert talk.tick(0.068) == []  # nothing was heard because nobody listened
    assert (talk.counts.standstills, talk.counts.longest_standstill) == (1, pytest.approx(0.058))
    for now in (0.08, 0.09, 0.0989):
        assert talk.tick(now) == []
    (lost,) = talk.tick(0.0992)
    assert lost == LinkLost(pytest.approx(0.0892))


def test_a_period_without_a_new_command_is_late(talk):
    for _ in range(4):
        talk.command(0.0, 0.0, 0.0)
    for seq, cmd_seq in enumerate((1, 2, 2, 4), start=1):
        hear(talk, seq / 100, state(seq, cmd_seq=cmd_seq))
    assert talk.counts.late == 1


def test_pings_go_out_each_second_and_their_answers_tell_the_clock(talk):
    hear(talk, 1.99, state(700))
    talk.tick(2.0)
    (ping,) = said(talk)
    assert ping == Ping(1, 2_000_000)
    board = 7_000_000
    hear(talk, 2.002, Pong(1, ping.t_host_us, board, board))
    assert talk.clock.offset(2.0) == pytest.approx(7.0 - 2.001)
    talk.tick(2.5)
    assert said(talk) == []
    talk.tick(3.1)
    assert [type(message) for message in said(talk)] == [Ping]


def test_an_answer_to_no_question_is_not_believed(talk):
    hear(talk, 0.1, Pong(99, 0, 1, 2))
    assert talk.clock.rtts == []


def test_refusals_are_told(talk):
    nak = Nak(Cmd.TYPE, Reason.OLD_SEQ, ID, 3)
    assert hear(talk, 0.1, nak) == [Refused(nak)]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"link_id": 0}, "link id"),
        ({"rate": 500}, "rate"),
        ({"command_timeout": 0.01}, "command timeout"),
    ],
)
def test_what_a_board_would_refuse_is_refused_before(wrong, words):
    with pytest.raises(InvalidValue, match=words):
        Conversation(**{"link_id": 1, **wrong})


def test_nothing_is_commanded_before_a_board_has_accepted():
    talk = Conversation(ID)
    talk.open(0.0)
    with pytest.raises(InvalidValue, match="after a board has accepted"):
        talk.arm()
    with pytest.raises(InvalidValue, match="after a board has accepted"):
        talk.command(0.1, 0.1, 0.0)
    hear(talk, 0.1, replace(ACK, protocol=99))
    with pytest.raises(InvalidValue, match="after a board has accepted"):
        talk.arm()
    assert [type(message) for message in said(talk)] == [Hello]


def test_a_state_that_came_before_is_no_news(talk):
    hear(talk, 0.01, state(1))
    hear(talk, 0.02, state(2))
    for number in range(1, 20):
        assert hear(talk, 0.02 + 0.001 * number, state(1), state(2)) == []
        assert talk.tick(0.02 + 0.001 * number) == []
    assert talk.counts.old == 38
    assert talk.silence(0.04) == pytest.approx(0.02)
    assert any(isinstance(event, LinkLost) for event in talk.tick(0.052))


def test_a_hello_that_was_answered_twice_counts_states_anew():
    talk = Conversation(ID)
    talk.open(0.0)
    talk.tick(0.3)
    hear(talk, 0.31, ACK, state(0, t_us=0), state(1))
    talk.arm()
    assert hear(talk, 0.35, ACK) == [Connected(ACK)]
    (arrived,) = hear(talk, 0.36, state(0, t_us=70_000))
    assert isinstance(arrived, StateArrived)
    assert hear(talk, 0.37, ACK) == []  # a third answer: nobody asked for it


def test_a_hello_before_the_start_of_the_board_may_be_answered_after_it():
    talk = Conversation(ID)
    talk.open(0.0)
    hear(talk, 0.1, Boot(1, 1, 1), ACK, state(0, t_us=0), state(1))
    assert hear(talk, 0.2, ACK) == [Connected(ACK)]
    assert len(hear(talk, 0.21, state(0, t_us=90_000))) == 1


@pytest.mark.parametrize("speed", [0.51, -0.51, float("nan"), float("inf")])
def test_no_speed_is_sent_that_no_board_can_run(talk, speed):
    with pytest.raises(InvalidValue, match=r"belt speed must be from -0\.5 to 0\.5 m/s"):
        talk.command(speed, 0.0, 0.0)
    assert said(talk) == []


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


def ask(sync: ClockSync, host: float, board, there: float = 0.001, back: float = 0.001) -> bool:
    return sync.add(host, host + there + back, board(host + there), board(host + there))


def test_a_clock_that_drifts_by_a_percent_is_followed():
    def board(host: float) -> float:
        return 1.01 * host + 5.0

    sync = ClockSync()
    for second in range(11):
        ask(sync, 100.0 + second, board)
    assert sync.offset(110.5) == pytest.approx(board(110.5) - 110.5, abs=1e-4)
    assert sync.to_host(board(110.5)) == pytest.approx(110.5, abs=1e-4)


def test_slow_answers_do_not_count():
    sync = ClockSync()
    assert not ask(sync, 0.0, lambda host: host, there=0.009, back=0.002)
    assert sync.unused == 1
    with pytest.raises(LookupError):
        sync.offset(0.0)
    assert sync.rtts == [pytest.approx(0.011)]
    assert sync.rtts[0] > LONGEST_RTT


def test_one_way_delays_of_single_answers_are_not_believed():
    sync = ClockSync()
    for second in range(10):
        late = 0.006 if second % 2 else 0.0
        ask(sync, float(second), lambda host: host + 3.0, back=0.001 + late)
    assert sync.offset(9.0) == pytest.approx(3.0, abs=1e-6)


@pytest.mark.parametrize("bits", [16, 32])
def test_a_counter_goes_on_where_the_wire_wraps(bits):
    counter, size = Unwrapped(bits), 1 << bits
    assert [counter.update(n % size) for n in (size - 2, size + 1, size - 1, 2 * size)][:3] == [
        size - 2,
        size + 1,
        size - 1,
    ]
