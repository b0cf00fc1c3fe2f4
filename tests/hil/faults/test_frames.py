"""Damaged frames and the host's parser."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouser.errors import InvalidValue
from grouser.hil.conversation import Conversation
from grouser.hil.frame_damage import DAMAGES, try_frames
from grouser.hil.frames import FrameDecoder, encode_frame, encode_message
from grouser.hil.messages import KINDS, Cmd, pack, unpack


class Trusting(FrameDecoder):
    """Takes every frame whose stuffing is right, as if its checksum were."""

    def _decode(self, frame):
        from cobs import cobs

        try:
            return unpack(cobs.decode(frame)[:-2])
        except cobs.DecodeError:
            return None


def test_no_damaged_frame_is_taken_for_what_it_is_not():
    tallies = try_frames(60_000, seed=2)
    assert set(tallies) == set(DAMAGES)
    assert sum(tally.frames for tally in tallies.values()) == 60_000
    assert [tally.wrong for tally in tallies.values()] == [0] * len(DAMAGES)
    assert [tally.not_recovered for tally in tallies.values()] == [0] * len(DAMAGES)
    assert tallies["one bit flipped"].dropped == tallies["one bit flipped"].frames
    assert tallies["junk after"].intact == tallies["junk after"].frames


def test_without_a_checksum_damage_goes_unnoticed():
    tallies = try_frames(3_000, make_decoder=Trusting)
    assert tallies["one bit flipped"].wrong > 100
    assert tallies["two bits flipped"].wrong > 100


def test_a_count_that_means_nothing_is_refused():
    with pytest.raises(InvalidValue, match="count must be at least 1, not 0"):
        try_frames(0)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=200), max_size=8))
def test_the_parser_takes_any_bytes_cut_anyhow(parts):
    whole, cut = FrameDecoder(), FrameDecoder()
    at_once = whole.feed(b"".join(parts))
    by_and_by = [message for part in parts for message in cut.feed(part)]
    assert by_and_by == at_once
    assert cut.counts == whole.counts


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(KINDS.values())), st.binary(max_size=70), st.booleans())
def test_frames_of_any_type_and_length_do_not_break_a_conversation(kind, body, fits):
    size = kind.LAYOUT.size
    body = (body + bytes(size))[:size] if fits else body
    talk = Conversation(7)
    talk.open(0.0)
    talk.receive(encode_frame(bytes((kind.TYPE,)) + body), 0.01)
    talk.tick(0.02)
    talk.receive(encode_frame(bytes((kind.TYPE,)) + body), 0.03)
    assert talk.frames.good + talk.frames.bad == 2


@given(
    st.builds(
        Cmd,
        st.integers(0, 65535),
        st.integers(0, 65535),
        st.integers(0, 2**32 - 1),
        st.integers(-32768, 32767),
        st.integers(-32768, 32767),
        st.integers(0, 255),
    )
)
def test_a_command_survives_its_frame(command):
    assert FrameDecoder().feed(encode_message(command)) == [command]
    assert unpack(pack(command)) == command
