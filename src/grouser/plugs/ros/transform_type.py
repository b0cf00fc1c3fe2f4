"""The type `tf2_msgs/msg/TFMessage`, also where no package of ROS 2 brings it.

The wheels of ROS 2 lack `tf2_msgs`. Its one message is a sequence of TransformStamped, which they
have. A publisher that is given messages as bytes (CDR) needs of its type only the name, the hash
and the description, so they are put together here, in memory: no compiler is needed. It works with
the middleware of the wheels, Fast DDS. A sourced ROS 2 has the real package, which is then used.

Reference:
    rosidl_runtime_c/message_type_support_struct.h and type_description/*.h,
    rosidl_typesupport_fastrtps_cpp/message_type_support.h (Jazzy, Kilted)
"""

import ctypes
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from grouser.errors import GrouserError

NAME = "tf2_msgs/msg/TFMessage"
"""Type of the messages."""
TYPE_HASH = bytes.fromhex("01e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087")
"""Version (1 byte) and hash of the type's description, by REP-2011 (RIHS01)."""
_MIDDLEWARE, _INTROSPECTION = (
    b"rosidl_typesupport_fastrtps_c",
    b"rosidl_typesupport_introspection_c",
)
_UNBOUNDED_SEQUENCE_OF_TYPES = 145  # type_description_interfaces/msg/FieldType
_KEPT: list[Any] = []  # what C code points to must outlive every publisher

_Address = ctypes.c_void_p


class _TypeSupport(ctypes.Structure):
    _fields_ = [
        ("identifier", ctypes.c_char_p),
        ("data", _Address),
        ("find", _Address),
        ("hash", _Address),
        ("description", _Address),
        ("sources", _Address),
    ]


class _Callbacks(ctypes.Structure):
    """Namespace and name of the type; what serialises it is not called for bytes."""

    _fields_ = [("namespace", ctypes.c_char_p), ("name", ctypes.c_char_p), ("rest", _Address * 5)]


class _Members(ctypes.Structure):
    _fields_ = [
        ("namespace", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("count", ctypes.c_uint32),
        ("size", ctypes.c_size_t),
        ("members", _Address),
        ("functions", _Address * 2),
    ]


class _Member(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_uint8),
        ("longest_text", ctypes.c_size_t),
        ("nested", _Address),
        ("rest", _Address * 10),
    ]


class _Text(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("capacity", ctypes.c_size_t),
    ]  # fmt: skip


class _Sequence(ctypes.Structure):
    _fields_ = [("data", _Address), ("size", ctypes.c_size_t), ("capacity", ctypes.c_size_t)]


class _Field(ctypes.Structure):
    _fields_ = [
        ("name", _Text),
        ("kind", ctypes.c_uint8),
        ("capacity", ctypes.c_uint64),
        ("string_capacity", ctypes.c_uint64),
        ("nested_type", _Text),
        ("default", _Text),
    ]


class _OneType(ctypes.Structure):
    _fields_ = [("name", _Text), ("fields", _Sequence)]


class _Description(ctypes.Structure):
    _fields_ = [("itself", _OneType), ("referenced", _Sequence)]


_Find = ctypes.CFUNCTYPE(_Address, _Address, ctypes.c_char_p)
_Get = ctypes.CFUNCTYPE(_Address, _Address)


def find_transform_type() -> Any:
    """Return the class of the messages on /tf; publishers of it are given bytes.

    Raises:
        GrouserError: There is no package `tf2_msgs`, and the middleware is not Fast DDS.
    """
    if find_spec("tf2_msgs") is not None:
        return import_module("tf2_msgs.msg").TFMessage
    return make_transform_type()


def make_transform_type() -> Any:
    """Return a class that stands for TFMessage, put together from messages that are alike.

    TransformStamped is its element; Polygon is one sequence of messages, as it is.

    Raises:
        GrouserError: The middleware is not Fast DDS.
    """
    messages = import_module("geometry_msgs.msg")
    element, alike = (_general(kind) for kind in (messages.TransformStamped, messages.Polygon))
    callbacks = _copy(_Callbacks, _find(alike, _MIDDLEWARE).data)
    members = _copy(_Members, _find(alike, _INTROSPECTION).data)
    member = _copy(_Member, members.members)
    member.name = b"transforms"
    member.nested = ctypes.addressof(_find(element, _INTROSPECTION))
    members.members = ctypes.addressof(member)
    for names in (callbacks, members):
        names.namespace, names.name = b"tf2_msgs::msg", b"TFMessage"
    described = _Get(element.description)(ctypes.addressof(element))
    about = _About(_make_description(_Description.from_address(described or 0)), element.sources)
    about.add(_MIDDLEWARE, callbacks)
    about.add(_INTROSPECTION, members)
    return _make_class(_make_capsule(ctypes.addressof(about.supports[_MIDDLEWARE])))


class _About:
    """The supports of one type, which find each other."""

    def __init__(self, description: _Description, sources: int) -> None:
        type_hash = ctypes.create_string_buffer(TYPE_HASH, len(TYPE_HASH))
        self.supports: dict[bytes, _TypeSupport] = {}
        self._find = _Find(self._address_of)
        self._hash = _Get(lambda _: ctypes.addressof(type_hash))
        self._description = _Get(lambda _: ctypes.addressof(description))
        self._sources = sources
        _KEPT.append(self)

    def _address_of(self, _: int, identifier: bytes) -> int | None:
        found = self.supports.get(identifier)
        return None if found is None else ctypes.addressof(found)

    def add(self, identifier: bytes, data: ctypes.Structure) -> None:
        """Add the support of one implementation."""
        _KEPT.append(data)
        self.supports[identifier] = _TypeSupport(
            identifier=identifier,
            data=ctypes.addressof(data),
            find=ctypes.cast(self._find, _Address),
            hash=ctypes.cast(self._hash, _Address),
            description=ctypes.cast(self._description, _Address),
            sources=self._sources,
        )


def _general(kind: Any) -> _TypeSupport:
    type(kind).__import_type_support__()
    return _TypeSupport.from_address(_open_capsule(type(kind)._TYPE_SUPPORT))


def _find(general: _TypeSupport, identifier: bytes) -> _TypeSupport:
    found = _Find(general.find)(ctypes.addressof(general), identifier)
    if not found:
        raise GrouserError(
            "/tf needs the package 'tf2_msgs', which is not installed, or the middleware Fast DDS; "
            "source a ROS 2 that has it, or set RMW_IMPLEMENTATION=rmw_fastrtps_cpp"
        )
    return _TypeSupport.from_address(found)


def _copy(kind: Any, address: int) -> Any:
    copied = kind.from_buffer_copy(ctypes.string_at(address, ctypes.sizeof(kind)))
    _KEPT.append(copied)
    return copied


def _make_description(stamped: _Description) -> _Description:
    """Return the description of a sequence of TransformStamped, referenced types by name."""
    size = stamped.referenced.size
    referenced = (_OneType * size).from_address(stamped.referenced.data)
    types = [(one.name.data, one) for one in (*referenced, stamped.itself)]
    types.sort(key=lambda pair: pair[0])
    every = (_OneType * len(types))(*(one for _, one in types))
    field = (_Field * 1)(
        _Field(
            name=_text(b"transforms"),
            kind=_UNBOUNDED_SEQUENCE_OF_TYPES,
            nested_type=stamped.itself.name,
            default=_text(b""),
        )
    )
    _KEPT.extend((every, field))
    itself = _OneType(_text(NAME.encode()), _Sequence(ctypes.addressof(field), 1, 1))
    return _Description(itself, _Sequence(ctypes.addressof(every), len(types), len(types)))


def _text(words: bytes) -> _Text:
    _KEPT.append(words)
    return _Text(words, len(words), len(words) + 1)


def _make_class(capsule: Any) -> Any:
    """Return a class as the generators of ROS 2 write them, as far as publishers look at it."""

    def refuse(*_: Any) -> None:
        raise TypeError(f"{NAME} is published and subscribed to as bytes here")

    class _Kind(type):
        _TYPE_SUPPORT = capsule
        _CREATE_ROS_MESSAGE = _CONVERT_FROM_PY = _CONVERT_TO_PY = _DESTROY_ROS_MESSAGE = refuse

    return _Kind("TFMessage", (), {"__module__": "tf2_msgs.msg"})


def _open_capsule(capsule: Any) -> int:
    get_name, get_pointer = (
        ctypes.pythonapi.PyCapsule_GetName,
        ctypes.pythonapi.PyCapsule_GetPointer,
    )
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer.restype, get_pointer.argtypes = _Address, [ctypes.py_object, ctypes.c_char_p]
    return get_pointer(capsule, get_name(capsule))


def _make_capsule(address: int) -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [_Address, ctypes.c_char_p, _Address]
    return new(address, None, None)
