"""A foreign site that wants to drive: pages that lead to ours, and a viser server with a script."""

import threading
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import quote, unquote

import viser
from viser._messages import RunJavascriptMessage

from grouser.viewer.access import silence_viser
from tests.viewer.visitor import CAMERA, PROTOCOL, encode

SCRIPT = """
window.pwned = (window.pwned ?? 0) + 1;
const scene = new WebSocket(`ws://${location.host}/`, ["PROTOCOL"]);
scene.binaryType = "arraybuffer";
scene.onopen = () => scene.send(new Uint8Array(CAMERA));
const drive = (secret) => {
  const keys = new WebSocket(`ws://${location.host}/keys`);
  const say = (message) => keys.send(JSON.stringify(message));
  keys.onopen = () => { say({ secret }); say({ act: "take" }); };
  keys.onmessage = () => say({ axes: { forward: 1 } });
};
scene.onmessage = async ({ data }) => {
  const [size, packed] = [0, 8].map((at) => Number(new DataView(data).getBigUint64(at, true)));
  const env = { emscripten_notify_memory_growth: () => {} };
  const zstd = (await WebAssembly.instantiate(__viserZstdWasm, { env })).exports;
  const [from, to] = [zstd.malloc(packed), zstd.malloc(size)];
  new Uint8Array(zstd.memory.buffer).set(new Uint8Array(data, 16, packed), from);
  zstd.ZSTD_decompress(to, size, from, packed);
  const text = new TextDecoder("latin1").decode(zstd.memory.buffer.slice(to, to + size));
  const found = /grouser-secret.*?value.([A-Za-z0-9_-]{22})/s.exec(text);
  if (found) drive(found[1]);
};
""".replace("PROTOCOL", PROTOCOL).replace("CAMERA", str(list(encode(CAMERA))))
"""Opens a page of its own within ours, takes the seat and drives."""


class HostileSite:
    """Another site of the same browser; a context manager."""

    def __init__(self) -> None:
        with silence_viser():
            self.server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
        self.visits: list[str] = []
        """Paths that were asked for beside its own pages, and sockets that were opened."""
        self.server.on_client_connect(lambda client: self.visits.append("socket"))
        code = escape(f"(() => {{{SCRIPT}}})()")
        self.server.gui.add_html(f'<img src=x onerror="{code}">')
        self.server._websock_server.queue_message(RunJavascriptMessage(source=SCRIPT))
        serializer = self.server._websock_server.get_message_serializer(lambda message: True)
        self.server._websock_server.queue_message(RunJavascriptMessage(source=SCRIPT))
        self._recording = serializer.serialize()
        site = self

        class Pages(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site._answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._pages = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        self._pages.daemon_threads = True
        threading.Thread(target=self._pages.serve_forever, daemon=True).start()

    @property
    def socket(self) -> str:
        """Address of the viser server that sends the script."""
        return f"ws://127.0.0.1:{self.server.get_port()}"

    def origin(self, host: str = "localhost") -> str:
        """Address of its pages: by default another site than 127.0.0.1."""
        return f"http://{host}:{self._pages.server_port}"

    def lead(self, way: str, address: str, host: str = "localhost") -> str:
        """Return the address of a page that leads to another: by a link, redirect or frame."""
        return f"{self.origin(host)}/{way}?{quote(address, safe='')}"

    @property
    def queries(self) -> dict[str, str]:
        """The queries with which viser's client would read from here, by key."""
        recording = f"{self.origin()}/recording.viser"
        return {
            "websocket": f"websocket={self.socket}",
            "playbackPath": f"playbackPath={recording}",
        }

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        way, _, query = request.path[1:].partition("?")
        address = unquote(query)
        status, body, headers = 200, b"", {"Access-Control-Allow-Origin": "*"}
        if way == "link":
            body = f'<a id="link" href="{escape(address)}">a robot</a>'.encode()
        elif way == "frame":
            load = "document.title = 'framed'"
            body = f'<iframe src="{escape(address)}" onload="{load}"></iframe>'.encode()
        elif way == "redirect":
            status, headers = 302, {"Location": address}
        elif way != "favicon.ico":
            self.visits.append(request.path)
            body = self._recording
        request.send_response(status)
        for name, value in (
            {"Content-Type": "text/html", "Content-Length": len(body)} | headers
        ).items():
            request.send_header(name, str(value))
        request.end_headers()
        request.wfile.write(body)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pages.shutdown()
        self._pages.server_close()
        with silence_viser():
            self.server.stop()
