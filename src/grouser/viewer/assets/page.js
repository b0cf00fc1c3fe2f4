/* Keys, touch pad and gamepad of the driving page, and its web socket.
 *
 * viser does not report key releases, and moves its camera by W A S D. This script runs before
 * viser's, intercepts the driving keys and sends the positions of the sticks to the server over
 * its own web socket: at every change, and repeatedly while a key is held. If the messages stop,
 * the server treats all sticks as released.
 */
(() => {
  "use strict";
  /* All that a person can do, by keys and by gamepad, and what that does in each mode. Keys, gamepad
   * and pad act only by this table, and the help of the page is made of it: a mode without words is
   * one in which nothing happens. `needs` names what robot or course must have (`status.has`). */
  const TABLE = [
    {
      name: "drive", keys: "W A S D or arrow keys", gamepad: "left stick; right stick turns, too",
      axes: {
        KeyW: ["forward", 1], ArrowUp: ["forward", 1], KeyS: ["forward", -1],
        ArrowDown: ["forward", -1], KeyA: ["turn", 1], ArrowLeft: ["turn", 1],
        KeyD: ["turn", -1], ArrowRight: ["turn", -1],
      },
      read: (pad) => ({
        forward: -dead(pad.axes[1] ?? 0),
        turn: -dead(pad.axes[2] ?? 0) || -dead(pad.axes[0] ?? 0),
      }),
      does: {
        manual: "drive", path: "drive yourself", hand: "drive the board", free: "drive",
        replay: "back to driving", "replay-board": "back to the board",
        "replay-outside": "back to the robot",
      },
    },
    {
      name: "front", keys: "R F", gamepad: "RB, RT", needs: "front",
      axes: { KeyR: ["front", 1], KeyF: ["front", -1] },
      read: (pad) => ({ front: pressed(pad, 5) - pressed(pad, 7) }),
      does: {
        manual: "raise, lower front flippers", free: "raise, lower front flippers",
        path: "move front flippers yourself", replay: "back to driving",
      },
    },
    {
      name: "rear", keys: "T G", gamepad: "LB, LT", needs: "rear",
      axes: { KeyT: ["rear", 1], KeyG: ["rear", -1] },
      read: (pad) => ({ rear: pressed(pad, 4) - pressed(pad, 6) }),
      does: {
        manual: "raise, lower rear flippers", free: "raise, lower rear flippers",
        path: "move rear flippers yourself", replay: "back to driving",
      },
    },
    {
      name: "flippers", keys: "V", code: "KeyV", gamepad: "A", button: 0, needs: "flippers",
      does: { manual: "flippers by themselves or by hand", path: "flippers by themselves or by hand" },
    },
    {
      name: "pause", keys: "Space", code: "Space", gamepad: "Start", button: 9,
      does: {
        manual: "pause, go on", path: "pause, go on", replay: "pause, play",
        board: "stops the motors", hand: "stops the motors", "watch-board": "stops the motors",
        "replay-board": "stops the motors",
      },
    },
    {
      name: "step", keys: "N", code: "KeyN",
      does: { manual: "one tick", path: "one tick", replay: "one tick" },
    },
    {
      name: "reset", keys: "Home", code: "Home", gamepad: "Back", button: 8,
      does: {
        manual: "reset", path: "reset", replay: "to the begin", "replay-outside": "to the begin",
        measured: "brings the ghosts to the robot",
      },
    },
    {
      name: "path", keys: "O", code: "KeyO", gamepad: "X", button: 2, needs: "path",
      does: { manual: "follow the path", path: "stop following" },
    },
    {
      name: "ghosts", keys: "B", code: "KeyB", needs: "ghosts",
      does: { manual: "bring ghosts here", path: "bring ghosts here" },
    },
    { name: "camera", keys: "C", code: "KeyC", gamepad: "Y", button: 3, does: { any: "camera" } },
    { name: "help", keys: "H", code: "KeyH", does: { any: "all keys" } },
  ];
  const REPEAT_MS = 100;
  const DEAD_ZONE = 0.12;
  const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render|^none$/i;
  const LEAN_PIXELS = "0.6";
  const SECRET_KEY = "viser-user:grouser-secret";

  const held = new Set();
  const pad = { forward: 0, turn: 0, front: 0, rear: 0 };
  const stick = { forward: 0, turn: 0, front: 0, rear: 0 };
  // Shared with the page's other scripts, which follow this one.
  const handlers = {};
  const grouser = Object.assign(window.grouser, {
    status: null, client: null, connected: false, send, table: TABLE, mode, words,
    /** Call `handler` with every message of a kind, such as "status". */
    on(kind, handler) { (handlers[kind] ??= []).push(handler); },
    emit(kind, message) { for (const handler of handlers[kind] ?? []) handler(message); },
  });
  let socket = null;
  let secret = null;
  let sent = "";

  const rowOf = (name) => TABLE.find((row) => row.name === name);
  const clamp = (value) => Math.max(-1, Math.min(1, value));
  const dead = (value) => (Math.abs(value) < DEAD_ZONE ? 0 : value);
  const pressed = (gamepad, index) => gamepad.buttons[index]?.value ?? 0;

  /** Return what the page is used for now, as the table names it. */
  function mode() {
    const status = grouser.status;
    if (!status || !grouser.connected) return "none";
    const has = status.has ?? [];
    if (status.you === "free" && status.mode !== "replay") return "free";
    if (status.you !== "drive") return has.includes("board") ? "watch-board" : "watch";
    if (status.mode !== "replay") return status.mode;
    const outside = has.includes("outside") ? "replay-outside" : "replay";
    return has.includes("board") ? "replay-board" : outside;
  }

  /** Return what a row of the table does now, in words; nothing if it does nothing. */
  function words(row) {
    if (mode() === "none" || (row.needs && !grouser.status.has.includes(row.needs))) return "";
    return row.does[mode()] ?? row.does.any ?? "";
  }

  function axes() {
    const sum = { forward: 0, turn: 0, front: 0, rear: 0 };
    for (const row of TABLE) {
      if (!row.axes || !words(row)) continue;
      for (const code of held)
        if (code in row.axes) sum[row.axes[code][0]] += row.axes[code][1];
      for (const name of new Set(Object.values(row.axes).map(([axis]) => axis)))
        sum[name] = clamp(sum[name] + pad[name] + stick[name]);
    }
    return sum;
  }

  function send(message) {
    if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  function sendAxes(again) {
    const now = JSON.stringify(axes());
    if (!again && now === sent) return;
    sent = now;
    send({ axes: JSON.parse(now) });
  }

  function releaseAll() {
    held.clear();
    for (const name in pad) pad[name] = 0;
    for (const name in stick) stick[name] = 0;
    sendAxes(true);
  }

  // A closed drop-down list keeps the focus after a selection: that is not text input.
  const TEXT = "input:not([type=checkbox]):not([type=range]), textarea, [contenteditable=true]";
  const isTextInput = (target) =>
    target instanceof Element && target.closest(TEXT) &&
    !(target.getAttribute("aria-haspopup") === "listbox" &&
      target.getAttribute("aria-expanded") !== "true");

  function act(row) {
    if (!words(row)) return;
    if (row.name === "help") grouser.emit("help");
    else send({ act: row.name });
  }

  function onKey(event, isDown) {
    const row = TABLE.find((one) => one.code === event.code || event.code in (one.axes ?? {}));
    if (!row || isTextInput(event.target)) return;
    if (isDown && (event.ctrlKey || event.metaKey || event.altKey)) return;
    event.stopImmediatePropagation();  // viser moves its camera by these keys
    event.preventDefault();
    if (row.code) {
      if (isDown && !event.repeat) act(row);
      return;
    }
    if (isDown && words(row)) {
      held.add(event.code);
      document.body.classList.add("grouser-driven");
    }
    if (!isDown) held.delete(event.code);
    sendAxes(false);
  }
  window.addEventListener("keydown", (event) => onKey(event, true), true);
  window.addEventListener("keyup", (event) => onKey(event, false), true);
  window.addEventListener("blur", releaseAll);
  window.addEventListener("pagehide", releaseAll);
  document.addEventListener("visibilitychange", () => document.hidden && releaseAll());
  setInterval(() => {
    if (Object.values(axes()).some((value) => value !== 0)) sendAxes(true);
  }, REPEAT_MS);

  // Remove the focus from a button or slider after use, so that it does not take driving keys.
  document.addEventListener("pointerup", (event) => {
    if (event.target instanceof Element && !event.target.closest(TEXT))
      setTimeout(() => document.activeElement && document.activeElement.blur(), 0);
  });

  // --- identity: the server stores this page's secret by viser, intercepted here ------------
  const setItem = Storage.prototype.setItem;
  Storage.prototype.setItem = function (key, value) {
    if (key === SECRET_KEY) {
      secret = value;
      identify();
      return;
    }
    setItem.call(this, key, value);
  };

  function renderer() {
    try {
      const gl = document.createElement("canvas").getContext("webgl2");
      const info = gl.getExtension("WEBGL_debug_renderer_info");
      const name = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
      gl.getExtension("WEBGL_lose_context")?.loseContext();
      return String(name);
    } catch {
      return "none";
    }
  }

  // Without a graphics card draw fewer pixels; viser reads the ratio from the address.
  const rendererName = renderer();
  grouser.renderer = rendererName;
  const query = new URLSearchParams(location.search);
  if (query.has("dev")) document.documentElement.dataset.dev = "";
  if (SOFTWARE.test(rendererName) && !query.has("fixedDpr")) {
    query.set("fixedDpr", LEAN_PIXELS);
    history.replaceState(null, "", `?${query}`);
  }

  function identify() {
    if (secret !== null) send({ secret, renderer: rendererName.slice(0, 200) });
  }

  function connect() {
    socket = new WebSocket(grouser.addressOf("keys"));
    socket.onopen = () => {
      grouser.connected = true;
      identify();
      sendAxes(true);
      grouser.emit("open");
    };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      const kind = message.kind ?? "status";
      if (kind === "status") {
        const isNew = message.id !== null && message.id !== grouser.client;
        grouser.status = message;
        grouser.client = message.id;
        if (isNew) grouser.emit("identified");
      }
      grouser.emit(kind, message);
    };
    socket.onclose = () => {
      grouser.connected = false;
      grouser.client = null;
      grouser.emit("status", grouser.status);
      setTimeout(connect, 1000);
    };
  }

  // --- gamepad ------------------------------------------------------------------------------
  const down = new Set();
  function readGamepad() {
    const found = [...navigator.getGamepads()].find((one) => one);
    if (!found) return;
    for (const row of TABLE) {
      if (row.read) Object.assign(stick, row.read(found));
      if (row.button === undefined) continue;
      if (!pressed(found, row.button)) down.delete(row.button);
      else if (!down.has(row.button)) {
        down.add(row.button);
        act(row);
      }
    }
    sendAxes(false);
    requestAnimationFrame(readGamepad);
  }
  window.addEventListener("gamepadconnected", (event) => {
    requestAnimationFrame(readGamepad);
    grouser.emit("gamepad", event.gamepad?.id ?? "");
  });
  window.addEventListener("gamepaddisconnected", releaseAll);

  // --- pad for touch ------------------------------------------------------------------------
  function addPad(root) {
    // A mouse has keys beside it; who touches once gets pad and buttons.
    window.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") document.body.classList.add("grouser-touched");
    }, true);
    root.addEventListener("contextmenu", (event) => event.preventDefault());
    const area = root.querySelector("#grouser-pad");
    const knob = area.firstElementChild;
    const move = (event) => {
      const box = area.getBoundingClientRect();
      const x = clamp(((event.clientX - box.left) / box.width) * 2 - 1);
      const y = clamp(((event.clientY - box.top) / box.height) * 2 - 1);
      pad.turn = -dead(x);
      pad.forward = -dead(y);
      knob.style.transform = `translate(${x * 40}px, ${y * 40}px)`;
      sendAxes(false);
    };
    const end = () => {
      pad.turn = pad.forward = 0;
      knob.style.transform = "";
      sendAxes(false);
    };
    area.addEventListener("pointerdown", (event) => {
      area.setPointerCapture(event.pointerId);
      document.body.classList.add("grouser-driven");
      move(event);
    });
    area.addEventListener("pointermove", (event) => event.buttons && move(event));
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"])
      area.addEventListener(kind, end);
    const auto = root.querySelector("#grouser-auto");
    auto.addEventListener("click", () => act(rowOf("flippers")));
    for (const button of root.querySelectorAll("[data-flipper]")) {
      const [name, value] = button.dataset.flipper.split(" ");
      button.addEventListener("pointerdown", () => { pad[name] = Number(value); sendAxes(false); });
      for (const kind of ["pointerup", "pointercancel", "pointerleave"])
        button.addEventListener(kind, () => { pad[name] = 0; sendAxes(false); });
    }
  }

  // --- what is laid over the scene --------------------------------------------------------------
  const HTML = `
    <div id="grouser-top">
      <div id="grouser-note" role="status" hidden></div>
      <div id="grouser-banner" role="status" hidden><span></span><button></button></div>
    </div>
    <div id="grouser-foot"></div>
    <div id="grouser-touch">
      <div id="grouser-left">
        <div id="grouser-tools"></div>
        <div id="grouser-flippers">
          <button data-flipper="front 1" aria-label="raise front flippers">front ▲</button>
          <button data-flipper="front -1" aria-label="lower front flippers">front ▼</button>
          <button data-flipper="rear 1" aria-label="raise rear flippers">rear ▲</button>
          <button data-flipper="rear -1" aria-label="lower rear flippers">rear ▼</button>
          <button id="grouser-auto" aria-label="flippers by themselves">auto</button>
        </div>
      </div>
      <div id="grouser-pad"><i></i></div>
    </div>`;

  /** Return what stands in the banner, and its button: label and action. */
  function banner(status) {
    if (!status || !grouser.connected) return [""];
    const drives = TABLE[0];
    if (status.you === "watch") {
      const why = "You are watching: another page drives, so grey controls do nothing here.";
      return [why, "Take control", "take"];
    }
    if (mode() === "free")
      return [`Nobody drives. ${drives.keys} or this button:`, "Take control", "take"];
    if (status.clicks) return [status.clicks.sentence, "End", "end"];
    if (status.mode !== "replay") return [""];
    const back = status.you === "free" ? "Take control" : "Back to driving";
    const what = `Replay of ${status.title}. Ghosts and the tipping margin are not recorded.`;
    return [what, back, status.you === "free" ? "take" : "drive"];
  }

  grouser.on("status", (status) => {
    const root = document.getElementById("grouser");
    if (!root) return;
    root.classList.toggle("grouser-can-drive", Boolean(words(TABLE[0])));
    // A button that does nothing now is not there: a robot may have front flippers only.
    for (const button of root.querySelectorAll("[data-flipper]"))
      button.hidden = !words(rowOf(button.dataset.flipper.split(" ")[0]));
    const auto = document.getElementById("grouser-auto");
    auto.hidden = !words(rowOf("flippers"));
    auto.setAttribute("aria-pressed", status?.posture === "auto");
    const note = document.getElementById("grouser-note");
    note.textContent = (grouser.connected && status && status.note) || "";
    note.hidden = !note.textContent;
    const [sentence, label, action] = banner(status);
    const place = document.getElementById("grouser-banner");
    place.hidden = !sentence;
    place.firstElementChild.textContent = sentence;
    place.lastElementChild.textContent = label ?? "";
    place.lastElementChild.dataset.act = action ?? "";
  });

  document.addEventListener("DOMContentLoaded", () => {
    const root = document.createElement("div");
    root.id = "grouser";
    root.innerHTML = HTML;
    document.body.append(root);
    addPad(root);
    const button = root.querySelector("#grouser-banner button");
    button.addEventListener("click", () => send({ act: button.dataset.act }));
    connect();
  });
})();
