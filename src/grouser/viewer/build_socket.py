"""Web socket of the editor: its keys, and files that are dropped on the page of the driver.

A page first proves who it is, by the secret of its other sockets. Then it may send keys, or
announce a file by name and size and send it in parts, each of which is acknowledged. A file goes
to a temporary file in the folder of courses and is examined in another thread.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

import msgspec
from websockets.exceptions import ConnectionClosed
from websockets.typing import Data

from grouser import limits
from grouser.errors import GrouserError
from grouser.storage import remove_stale, temporary_name
from grouser.viewer.course_files import CourseFiles
from grouser.viewer.dropped import DroppedFiles, Outcome
from grouser.viewer.input import DriverLock
from grouser.viewer.messages import Filter, FilteredConnection, RateLimit
from grouser.viewer.pointer import Point

WATCHER = "You are watching. Press “Take control” to drop files."
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Size = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
FileName = Annotated[str, msgspec.Meta(max_length=1000)]
Act = Literal["undo", "redo", "delete", "duplicate", "deselect"]
"""Actions of keys."""


class FileHead(msgspec.Struct, forbid_unknown_fields=True):
    """A file that a page is about to send."""

    name: FileName
    size: Size
    """Number of bytes."""
    at: tuple[Share, Share] | None = None
    """Where it was dropped: shares of width and height of the picture, from top left [1]."""


class BuildMessage(msgspec.Struct, forbid_unknown_fields=True):
    """Message of a page on this web socket."""

    secret: Annotated[str, msgspec.Meta(max_length=limits.NAME_LENGTH)] | None = None
    """Identifies the page."""
    act: Act | None = None
    """Action of a key that was pressed once."""
    file: FileHead | None = None
    """Announces a file."""


_DECODER = msgspec.json.Decoder(BuildMessage)
Find = Callable[[int, tuple[float, float]], Point | None]
"""Returns the ground below a pixel of a client's page."""


class Upload:
    """A file that is being received."""

    def __init__(self, head: FileHead, folder: Path) -> None:
        self.head, self.received = head, 0
        folder.mkdir(parents=True, exist_ok=True)
        remove_stale(folder)
        self.path = temporary_name(folder / "dropped")
        self._file: BinaryIO = self.path.open("xb")

    def write(self, part: bytes) -> bool:
        """Add a part; return whether it fits."""
        self.received += len(part)
        if not part or self.received > self.head.size:
            return False
        self._file.write(part)
        return True

    @property
    def is_complete(self) -> bool:
        """Whether all bytes have arrived."""
        return self.received == self.head.size

    def close(self, *, remove: bool) -> None:
        """Close the file, and remove it if it is not needed."""
        self._file.close()
        if remove:
            self.path.unlink(missing_ok=True)


class BuildSocket:
    """Serves the editors of all open pages; only the driver's may do anything."""

    def __init__(
        self,
        lock: DriverLock,
        client_of: Callable[[str], int | None],
        files: CourseFiles,
    ) -> None:
        self._lock, self._client_of, self._files = lock, client_of, files
        self.act: Callable[[Act], None] = lambda act: None
        """Runs the action of a key."""
        self.dropped: DroppedFiles | None = None
        """Takes complete files."""
        self.find: Find = lambda client, at: None
        """Finds the ground below a pixel."""

    async def serve(self, connection: FilteredConnection) -> None:
        """Handle the messages of one page until it disconnects."""
        connection.filter = new_filter()
        visit = _Visit(self, connection)
        try:
            with suppress(ConnectionClosed):
                async for message in connection:
                    if not await visit.handle(message):
                        await connection.count_mistake()
        finally:
            visit.end()

    def close(self) -> None:
        """Read no further file."""
        if self.dropped is not None:
            self.dropped.reader.close()

    def identify(self, secret: str) -> int | None:
        """Return the client id of a secret."""
        return self._client_of(secret)

    def is_driver(self, client: int | None) -> bool:
        """Return whether a page drives, and may build."""
        return client is not None and client == self._lock.driver

    def open(self, head: FileHead) -> Upload:
        """Return a new file to receive; a GrouserError says why it is not accepted."""
        if head.size > limits.UPLOAD_BYTES:
            most = f"{limits.UPLOAD_BYTES / 1e6:.0f} MB"
            raise GrouserError(f"the file has {head.size / 1e6:.0f} MB; {most} are read at most")
        self._files.check_room(head.size)
        return Upload(head, self._files.courses)

    async def take(self, upload: Upload, client: int) -> Outcome:
        """Return what became of a complete file."""
        name, at = upload.head.name, upload.head.at
        place = None if at is None else self.find(client, at)
        assert self.dropped is not None
        return await asyncio.to_thread(self.dropped.take, upload.path, name, place)


class _Visit:
    """The connection of one page."""

    def __init__(self, socket: BuildSocket, connection: FilteredConnection) -> None:
        self._socket, self._connection = socket, connection
        self._client: int | None = None
        self._upload: Upload | None = None

    async def handle(self, message: Data) -> bool:
        """Act on a message; return whether it was valid."""
        if isinstance(message, bytes):
            return await self._receive(message)
        try:
            content = _DECODER.decode(message)
        except (ValueError, RecursionError):
            return False
        if content.secret is not None:
            self._client = self._socket.identify(content.secret)
            if self._client is None:
                return False
        if content.act is not None and self._socket.is_driver(self._client):
            self._socket.act(content.act)
        if content.file is not None:
            await self._begin(content.file)
        return True

    def end(self) -> None:
        """Remove a file that is not complete."""
        if self._upload is not None:
            self._upload.close(remove=True)
            self._upload = None

    async def _begin(self, head: FileHead) -> None:
        self.end()
        if not self._socket.is_driver(self._client):
            await self._say(Outcome(head.name[:100], mistakes=(WATCHER,)))
            return
        try:
            self._upload = self._socket.open(head)
        except (GrouserError, OSError) as error:
            await self._say(Outcome(head.name[:100], mistakes=(str(error),)))
            return
        self._connection.protocol.max_message_size = limits.UPLOAD_PART_BYTES
        if head.size == 0:
            await self._finish(self._upload)
        else:
            await self._send(got=0)

    async def _receive(self, part: bytes) -> bool:
        upload = self._upload
        if upload is None or not self._socket.is_driver(self._client) or not upload.write(part):
            self.end()
            return False
        if upload.is_complete:
            await self._finish(upload)
        else:
            await self._send(got=upload.received)
        return True

    async def _finish(self, upload: Upload) -> None:
        self._upload = None
        upload.close(remove=False)
        self._connection.protocol.max_message_size = limits.PAGE_MESSAGE_BYTES
        await self._send(got=upload.received, checking=True)
        assert self._client is not None
        try:
            await self._say(await self._socket.take(upload, self._client))
        finally:
            upload.path.unlink(missing_ok=True)

    async def _say(self, outcome: Outcome) -> None:
        await self._send(outcome=asdict(outcome))

    async def _send(self, **message: Any) -> None:
        await self._connection.send(json.dumps(message))


def new_filter() -> Filter:
    """Return the filter of one connection: rate limits, all else is checked by its server."""
    words, parts = RateLimit(limits.PAGE_CHANGES), RateLimit(limits.UPLOAD_PARTS)
    return lambda data: (data, parts if isinstance(data, bytes) else words)
