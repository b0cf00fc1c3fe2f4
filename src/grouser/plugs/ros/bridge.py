"""Between the physics process and ROS 2: one thread that takes frames and has requests done."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any

from grouser.errors import GrouserError, describe_bug
from grouser.live import Frame, PhysicsProcess

WAIT = 0.1
"""Longest time for which the thread waits for a frame [s]."""
ANSWER = 120.0
"""Longest time that a request may take [s]."""


class Bridge:
    """Receives frames of a physics process in a thread of its own.

    Only that thread talks to the process, except for commands, which any thread may offer. Others
    have requests done by it.
    """

    def __init__(self, physics: PhysicsProcess, show: Callable[[Frame], None]) -> None:
        """Prepare.

        Args:
            physics: The process.
            show: Called with each frame, in the thread.
        """
        self._physics, self._show = physics, show
        self._requests: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="frames", daemon=True)
        self.problem: GrouserError | None = None
        """Why the thread ended by itself; None if it did not."""

    def start(self) -> None:
        """Begin to receive."""
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether frames are received."""
        return self._thread.is_alive()

    def request(self, action: Callable[[], Any]) -> Any:
        """Have something done by the thread, and return its result; any thread may call.

        Raises:
            GrouserError: It could not be done, or the process has ended.
        """
        future: Future[Any] = Future()
        self._requests.append((action, future))
        if not self.is_alive:
            raise self.problem or GrouserError("the physics process has ended")
        try:
            return future.result(ANSWER)
        except TimeoutError:
            raise GrouserError(f"the physics did not answer in {ANSWER:g} s") from None

    def close(self) -> None:
        """End the thread and the process."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)
        self._physics.close()

    def _run(self) -> None:
        try:
            while not self._is_over.is_set():
                while self._requests:
                    self._do(*self._requests.popleft())
                frame = self._physics.receive(WAIT)
                if frame is not None:
                    self._show(frame)
        except Exception as error:  # whoever spins is told, and ends
            self.problem = GrouserError(describe_bug(error))
        for _, future in self._requests:
            with suppress(InvalidStateError):
                future.set_exception(self.problem or GrouserError("the node has ended"))

    def _do(self, action: Callable[[], Any], future: "Future[Any]") -> None:
        try:
            future.set_result(action())
        except Exception as error:  # whoever asked is told; frames are shown on
            future.set_exception(GrouserError(describe_bug(error)))
