/* Keys, touch pad and gamepad of the driving page, and its instruments.
 *
 * viser does not report key releases, and moves its camera by W A S D. This script runs before
 * viser's, intercepts the driving keys and sends the positions of the sticks to the server over
 * its own web socket: at every change, and repeatedly while a key is held. If the messages stop,
 * the server treats all sticks as released.
 */
(() => {
  "use strict";
  const AXES = {
    KeyW: ["forward", 1], ArrowUp: ["forward", 1],
    KeyS: ["forward", -1], ArrowDown: ["forward", -1],
    KeyA: ["turn", 1], ArrowLeft: ["turn", 1],
    KeyD: ["turn", -1], ArrowRight: ["turn", -1],
    KeyR: ["front", 1], KeyF: ["front", -1],
    KeyT: ["rear", 1], KeyG: ["rear", -1],
  };
  const ACTS = { Space: "pause", KeyN: "step", Home: "reset", KeyO: "path", KeyC: "camera" };
  const REPEAT_MS = 100;
  const DEAD_ZONE = 0.12;
  const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render|^none$/i;
  const LEAN_PIXELS = "0.6";
  const SECRET_KEY = "viser-user:grouser-secret";

  const held = new Set();
  const pad = { forward: 0, turn: 0, front: 0, rear: 0 };
  const stick = { forward: 0, turn: 0, front: 0, rear: 0 };
  const grouser = { status: null, client: null, connected: false, send };
  window.grouser = grouser;
  let socket = null;
  let secret = null;
  let sent = "";

  const clamp = (value) => Math.max(-1, Math.min(1, value));

  function axes() {
    const sum = { forward: 0, turn: 0, front: 0, rear: 0 };
    for (const code of held) sum[AXES[code][0]] += AXES[code][1];
    for (const name in sum) sum[name] = clamp(sum[name] + pad[name] + stick[name]);
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

  function onKey(event, isDown) {
    const known = event.code in AXES || event.code in ACTS;
    if (!known || isTextInput(event.target)) return;
    if (isDown && (event.ctrlKey || event.metaKey || event.altKey)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    if (event.code in ACTS) {
      if (isDown && !event.repeat) send({ act: ACTS[event.code] });
      return;
    }
    if (isDown) held.add(event.code);
    else held.delete(event.code);
    if (isDown) document.body.classList.add("grouser-driven");
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
  if (SOFTWARE.test(rendererName) && !query.has("fixedDpr")) {
    query.set("fixedDpr", LEAN_PIXELS);
    history.replaceState(null, "", `?${query}`);
  }

  function identify() {
    if (secret !== null) send({ secret, renderer: rendererName.slice(0, 200) });
  }

  function connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}/keys`);
    socket.onopen = () => {
      grouser.connected = true;
      identify();
      sendAxes(true);
    };
    socket.onmessage = (event) => {
      grouser.status = JSON.parse(event.data);
      grouser.client = grouser.status.id;
      draw();
    };
    socket.onclose = () => {
      grouser.connected = false;
      draw();
      setTimeout(connect, 1000);
    };
  }

  // --- gamepad ------------------------------------------------------------------------------
  const dead = (value) => (Math.abs(value) < DEAD_ZONE ? 0 : value);
  function readGamepad() {
    const found = [...navigator.getGamepads()].find((one) => one);
    if (!found) return;
    const pressed = (index) => (found.buttons[index] ? found.buttons[index].value : 0);
    stick.forward = -dead(found.axes[1] ?? 0);
    stick.turn = -dead(found.axes[2] ?? found.axes[0] ?? 0) || -dead(found.axes[0] ?? 0);
    stick.front = pressed(5) - pressed(7);
    stick.rear = pressed(4) - pressed(6);
    sendAxes(false);
    requestAnimationFrame(readGamepad);
  }
  window.addEventListener("gamepadconnected", () => requestAnimationFrame(readGamepad));
  window.addEventListener("gamepaddisconnected", releaseAll);

  // --- pad for touch ------------------------------------------------------------------------
  function addPad(root) {
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
    for (const button of root.querySelectorAll("[data-flipper]")) {
      const [name, value] = button.dataset.flipper.split(" ");
      button.addEventListener("pointerdown", () => { pad[name] = Number(value); sendAxes(false); });
      for (const kind of ["pointerup", "pointercancel", "pointerleave"])
        button.addEventListener(kind, () => { pad[name] = 0; sendAxes(false); });
    }
  }

  // --- instruments ----------------------------------------------------------------------------
  const HTML = `
    <div id="grouser-help">
      <div class="grouser-own">
        <b>W A S D</b> or arrow keys: drive &nbsp; <b>R F</b> front flippers &nbsp;
        <b>T G</b> rear flippers
        <span><b>Space</b> pause &nbsp; <b>N</b> one tick &nbsp; <b>Home</b> reset &nbsp;
        <b>O</b> follow the path &nbsp; <b>C</b> camera</span>
      </div>
      <div class="grouser-others">
        <span class="grouser-steers"><b>W A S D</b> or arrow keys: drive the board &nbsp;</span>
        <span class="grouser-motors"><b>Space</b> stops the motors &nbsp;</span>
        <span class="grouser-twins"><b>Home</b> brings the ghosts to the robot &nbsp;</span>
        <b>C</b> camera
      </div>
    </div>
    <div id="grouser-touch">
      <div id="grouser-pad"><i></i></div>
      <div id="grouser-flippers">
        <button data-flipper="front 1" aria-label="raise front flippers">front ▲</button>
        <button data-flipper="front -1" aria-label="lower front flippers">front ▼</button>
        <button data-flipper="rear 1" aria-label="raise rear flippers">rear ▲</button>
        <button data-flipper="rear -1" aria-label="lower rear flippers">rear ▼</button>
      </div>
    </div>
    <div id="grouser-note" role="status" hidden></div>
    <div id="grouser-hud">
      <div class="grouser-big"><b data-show="speed">–</b><i>m/s</i></div>
      <div><i id="grouser-wanted">commanded</i><b data-show="commanded">–</b><i>m/s</i></div>
      <div><i>yaw rate</i><b data-show="yaw_rate">–</b><i>°/s</i></div>
      <div><i>pitch</i><b data-show="pitch">–</b><i>°</i></div>
      <div><i>roll</i><b data-show="roll">–</b><i>°</i></div>
      <div><i>time</i><b data-show="time">–</b><i>s</i></div>
      <div><i>real-time factor</i><b data-show="factor">–</b><i>×</i></div>
      <div><i>tick delay</i><b data-show="tick_delay">–</b><i>ms</i></div>
      <div id="grouser-mode"></div>
      <div id="grouser-gaps"></div>
      <div id="grouser-ruts"></div>
    </div>`;

  const number = (value, digits) =>
    Number.isFinite(value) ? value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1") : "–";

  function mode(status) {
    if (!grouser.connected || !status) return ["no connection", "bad"];
    if (status.you !== "drive") return ["watching", "calm"];
    if (status.mode === "replay") return [status.paused ? "replay, paused" : "replay", "calm"];
    if (status.paused) return ["paused", "warn"];
    if (status.mode === "measured") return ["robot outside, only watched", "good"];
    if (status.mode === "board") return ["driven by a board", "good"];
    if (status.mode === "hand") return ["you drive the board", "good"];
    return status.mode === "path" ? ["following the path", "good"] : ["you drive", "good"];
  }

  function draw() {
    const hud = document.getElementById("grouser-hud");
    const status = grouser.status;
    if (!hud) return;
    if (status) {
      const show = {
        speed: number(status.speed, 2), commanded: number(status.commanded, 2),
        yaw_rate: number(status.yaw_rate, 0), pitch: number(status.pitch, 0),
        roll: number(status.roll, 0), time: number(status.time, 1),
        factor: number(status.factor, 2), tick_delay: number(status.tick_delay, 0),
      };
      for (const name in show) hud.querySelector(`[data-show=${name}]`).textContent = show[name];
      const gaps = document.getElementById("grouser-gaps");
      gaps.replaceChildren(...status.gaps.map((gap) => {
        const line = document.createElement("div");
        const dot = document.createElement("u");
        dot.style.background = gap.colour;
        const since = gap.since === null ? "" : `, diverged at ${number(gap.since, 1)} s`;
        const away = `${number(gap.distance, 2)} m ${number(gap.heading, 0)}°`;
        line.append(dot, `${gap.model} ${away}${since}`);
        return line;
      }));
      const ruts = document.getElementById("grouser-ruts");
      ruts.replaceChildren(...status.ruts.map((rut) => {
        const line = document.createElement("div");
        const square = document.createElement("u");
        square.style.background = rut.colour;
        line.append(square, rut.depth);
        return line;
      }));
    }
    const isSteered = Boolean(status) && status.mode === "hand";
    const isMeasured = Boolean(status) && status.mode === "measured";
    const isExternal = isSteered || isMeasured || (Boolean(status) && status.mode === "board");
    const classes = document.getElementById("grouser").classList;
    classes.toggle("grouser-watched", isExternal);
    classes.toggle("grouser-steered", isSteered);
    classes.toggle("grouser-measured", isMeasured);
    document.getElementById("grouser-wanted").textContent = isMeasured ? "belts" : "commanded";
    const [word, mood] = mode(status);
    const place = document.getElementById("grouser-mode");
    place.textContent = word;
    place.className = mood;
    const note = document.getElementById("grouser-note");
    note.textContent = (grouser.connected && status && status.note) || "";
    note.hidden = !note.textContent;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const root = document.createElement("div");
    root.id = "grouser";
    root.innerHTML = HTML;
    document.body.append(root);
    addPad(root);
    connect();
  });
})();
