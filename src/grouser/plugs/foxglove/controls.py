"""Services and parameters by which clients control a simulation.

Clients call from threads of their own. What they want is done by the thread that serves the
simulation, between two frames; the caller waits for it.
"""

import json
import math
import queue
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from typing import Any

from foxglove import MessageSchema, Parameter, Schema, Service, ServiceRequest, ServiceSchema

from grouser.errors import GrouserError, InvalidValue, UnknownName, describe_bug
from grouser.live import PhysicsProcess
from grouser.plugs.foxglove.commands import check_number
from grouser.storage import parse_json

WAITING = 20.0
"""Longest time that a client waits for what it wants [s]."""
MOST_TICKS = 1000
"""Largest number of ticks of one step."""
ARGUMENTS = {"step": "ticks", "set_friction": "factor", "set_factor": "factor"}
"""The field of the request of each service that has one."""
UNPACED = "inf"
"""The factor at which time passes as fast as possible, as clients spell it."""
SERVICES = ("reset", "pause", "resume", "step", "set_friction", "set_factor")
"""Names of the services, without a slash."""
CHANGEABLE = ("friction", "factor", "paused")
"""Parameters that clients may set."""


class Requests:
    """Calls from other threads, done by the thread that calls `serve`."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = (
            queue.SimpleQueue()
        )
        self._is_closed = False

    def call(self, work: Callable[[], Any]) -> Any:
        """Have something done, and return its result; GrouserError if that takes too long."""
        if self._is_closed:
            raise GrouserError("the simulation has ended")
        future: Future[Any] = Future()
        self._waiting.put((work, future))
        try:
            return future.result(timeout=WAITING)
        except TooLate:
            future.cancel()
            raise GrouserError(f"the simulation did not answer in {WAITING:g} s") from None

    def serve(self) -> None:
        """Do what waits."""
        while not self._waiting.empty():
            work, future = self._waiting.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except Exception as error:  # whoever asked is told; those who watch are served on
                future.set_exception(GrouserError(describe_bug(error)))

    def close(self) -> None:
        """End every call that waits, and all later ones."""
        self._is_closed = True
        while not self._waiting.empty():
            _, future = self._waiting.get()
            if future.set_running_or_notify_cancel():
                future.set_exception(GrouserError("the simulation has ended"))


class Controls:
    """What clients can change; each call is in the thread that serves the simulation."""

    def __init__(self, physics: PhysicsProcess, factor: float, fixed: Mapping[str, Any]) -> None:
        """Control a simulation.

        Args:
            physics: The simulation.
            factor: Simulated time per wall time at the beginning [1].
            fixed: Parameters that clients can read only.
        """
        self._physics, self._fixed = physics, dict(fixed)
        self.factor, self.friction, self.is_paused = factor, 1.0, False

    def do(self, name: str, value: Any = None) -> None:
        """Do what a service does, with the field of its request.

        Raises:
            GrouserError: The value is not valid, or the simulation cannot do it now.
        """
        physics = self._physics
        match name:
            case "reset":
                physics.reset()
                self.friction = 1.0
            case "pause" | "resume":
                getattr(physics, name)()
                self.is_paused = name == "pause"
            case "step":
                self._step(value)
            case "set_friction":
                physics.set_friction(check_number("friction", value))
                self.friction = float(value)
            case "set_factor":
                # JSON has no infinity.
                factor = math.inf if value == UNPACED else check_number("factor", value)
                physics.set_factor(factor)
                self.factor = factor
            case _:
                raise UnknownName("service", name, SERVICES)

    def set(self, name: str, value: Any) -> None:
        """Set a parameter.

        Raises:
            GrouserError: There is no such parameter, or the value is not valid.
        """
        if name in self._fixed:
            raise InvalidValue(f"parameter {name}", value, "not be set: it is fixed for this run")
        match name:
            case "friction" | "factor":
                self.do(f"set_{name}", value)
            case "paused":
                if not isinstance(value, bool):
                    raise InvalidValue("paused", value, "be true or false")
                self.do("pause" if value else "resume")
            case _:
                raise UnknownName("parameter", name, (*CHANGEABLE, *self._fixed))

    def parameters(self) -> list[Parameter]:
        """Return all parameters with their values."""
        factor = UNPACED if self.factor == math.inf else self.factor
        values: dict[str, Any] = {
            "friction": self.friction, "factor": factor, "paused": self.is_paused,
        }  # fmt: skip
        return [Parameter(name, value=value) for name, value in (values | self._fixed).items()]

    def _step(self, ticks: Any) -> None:
        if not self.is_paused:
            raise GrouserError("step needs a simulation that is paused; call pause first")
        count = 1 if ticks is None else ticks
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_TICKS:
            raise InvalidValue("ticks", count, f"be a whole number from 1 to {MOST_TICKS}")
        self._physics.step(count)


def make_services(call: Callable[[str, Any], None]) -> list[Service]:
    """Return the services; `call` does what one does, with the field of its request."""
    return [
        Service(f"/{name}", schema=_schema(name), handler=_handler(name, call)) for name in SERVICES
    ]


def _handler(name: str, call: Callable[[str, Any], None]) -> Callable[[ServiceRequest], bytes]:
    """Return what answers with `success` and, if it is false, a sentence in `message`."""

    def answer(request: ServiceRequest) -> bytes:
        try:
            call(name, _argument(name, request.payload))
        except GrouserError as error:
            return json.dumps({"success": False, "message": str(error)}).encode()
        return json.dumps({"success": True, "message": ""}).encode()

    return answer


def _argument(name: str, payload: bytes) -> Any:
    try:
        content = parse_json(payload or b"{}")
    except ValueError as error:
        shown = payload[:60].decode("utf-8", "replace")
        raise InvalidValue(f"request of {name}", shown, f"be JSON ({error})") from None
    if not isinstance(content, dict):
        raise InvalidValue(f"request of {name}", content, "be an object of JSON")
    return content.get(ARGUMENTS.get(name, ""))


def _schema(name: str) -> ServiceSchema:
    fields: dict[str, Any] = {}
    if field := ARGUMENTS.get(name):
        fields[field] = {"type": "integer" if field == "ticks" else "number"}
    answer = {"success": {"type": "boolean"}, "message": {"type": "string"}}
    return ServiceSchema(
        f"grouser.{name}",
        request=_message(f"grouser.{name}.Request", fields),
        response=_message(f"grouser.{name}.Response", answer),
    )


def _message(name: str, fields: dict[str, Any]) -> MessageSchema:
    content = {"title": name, "type": "object", "properties": fields}
    data = json.dumps(content).encode()
    return MessageSchema(
        encoding="json", schema=Schema(name=name, encoding="jsonschema", data=data)
    )
