/* The editor of the course: its keys, and files that are dropped anywhere on the page.
 *
 * A file is announced by name, size and place, then sent in parts; the server acknowledges each,
 * and answers at the end with what became of it: a sentence, or all its mistakes.
 */
(() => {
  "use strict";
  const LARGEST = 256 * 1024 * 1024;
  const PART = 256 * 1024;
  const FADE_MS = 6000;
  const SECRET_KEY = "viser-user:grouser-secret";
  const KEYS = { Delete: "delete", Backspace: "delete", Escape: "deselect" };
  const TEXT = "input:not([type=checkbox]):not([type=range]), textarea, [contenteditable=true]";
  const build = { outcome: null, isOpen: false };
  window.grouser.build = build;
  let socket = null;
  let secret = null;
  let waiting = [];
  let sending = null;
  let fades = 0;

  // The secret of this page, by which all its sockets prove who they are.
  const setItem = Storage.prototype.setItem;
  Storage.prototype.setItem = function (key, value) {
    if (key === SECRET_KEY) {
      secret = value;
      identify();
    }
    setItem.call(this, key, value);
  };

  function send(message) {
    if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  function identify() {
    if (secret !== null) send({ secret });
  }

  function connect() {
    socket = new WebSocket(grouser.addressOf("build"));
    socket.onopen = () => {
      build.isOpen = true;
      identify();
    };
    socket.onmessage = (event) => receive(JSON.parse(event.data));
    socket.onclose = () => {
      build.isOpen = false;
      if (sending) show({ name: sending.file.name, mistakes: ["the connection was lost: drop it again"] });
      sending = null;
      setTimeout(connect, 2000);
    };
  }

  // --- keys ---------------------------------------------------------------------------------
  window.addEventListener("keydown", (event) => {
    if (event.target instanceof Element && event.target.closest(TEXT)) return;
    const isCommand = event.ctrlKey || event.metaKey;
    let act = null;
    if (isCommand && event.code === "KeyZ") act = event.shiftKey ? "redo" : "undo";
    else if (isCommand && event.code === "KeyY") act = "redo";
    else if (isCommand && event.code === "KeyD") act = "duplicate";
    else if (!isCommand) act = KEYS[event.code] ?? null;
    if (act === null) return;
    if (act === "deselect") hide();
    if (isCommand || act === "delete") event.preventDefault();
    send({ act });
  }, true);

  // --- files --------------------------------------------------------------------------------
  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const veil = (on) => document.body.classList.toggle("grouser-dropping", on);

  window.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    veil(true);
  }, true);
  window.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) veil(false);
  }, true);
  window.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    veil(false);
    const at = [event.clientX / innerWidth, event.clientY / innerHeight];
    const isOnScene = event.target instanceof HTMLCanvasElement;
    for (const file of event.dataTransfer.files) waiting.push({ file, at: isOnScene ? at : null });
    next();
  }, true);

  function next() {
    if (sending || !waiting.length) return;
    const { file, at } = waiting.shift();
    if (file.size > LARGEST) {
      const size = Math.ceil(file.size / 1e6);
      const most = Math.round(LARGEST / 1e6);
      show({ name: file.name, mistakes: [`the file has ${size} MB; ${most} MB are read at most`] });
      next();
      return;
    }
    if (!build.isOpen) {
      show({ name: file.name, mistakes: ["there is no connection: drop it again later"] });
      return;
    }
    sending = { file };
    show({ name: file.name, sentence: "is being sent …" });
    send({ file: { name: file.name.slice(0, 300), size: file.size, at } });
  }

  async function receive(message) {
    if (message.outcome) {
      sending = null;
      build.outcome = message.outcome;
      show(message.outcome);
      next();
    } else if (sending && message.checking) {
      show({ name: sending.file.name, sentence: "is being checked …" });
    } else if (sending) {
      const part = await sending.file.slice(message.got, message.got + PART).arrayBuffer();
      if (message.got) {
        const share = Math.floor((100 * message.got) / sending.file.size);
        show({ name: sending.file.name, sentence: `is being sent: ${share} %` });
      }
      socket.send(part);
    }
  }

  // --- panel ----------------------------------------------------------------------------------
  function show({ name, sentence, mistakes = [] }) {
    const panel = document.getElementById("grouser-dropped");
    if (!panel) return;
    const [title, list] = [panel.querySelector("b"), panel.querySelector("ul")];
    const count = mistakes.length;
    title.textContent = count > 1 ? `${name}: ${count} mistakes` : name;
    panel.querySelector("p").textContent = sentence || "";
    list.replaceChildren(...mistakes.map((mistake) => {
      const line = document.createElement("li");
      line.textContent = mistake;
      return line;
    }));
    panel.classList.toggle("bad", count > 0);
    panel.hidden = false;
    clearTimeout(fades);
    if (!sending && !count) fades = setTimeout(hide, FADE_MS); // mistakes stay to be read
  }

  function hide() {
    const panel = document.getElementById("grouser-dropped");
    if (panel && !sending) panel.hidden = true;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const root = document.createElement("div");
    root.id = "grouser-build";
    root.innerHTML = `
      <div id="grouser-veil">Drop a robot, course or scenario (TOML), a height map (PNG, TIFF, NPY,
        CSV, ASC) or a mesh (STL, OBJ, PLY, GLB)</div>
      `;
    document.body.append(root);
    const panel = document.createElement("div");
    Object.assign(panel, { id: "grouser-dropped", role: "status", hidden: true });
    panel.innerHTML = `<button aria-label="close">×</button><b></b><p></p><ul></ul>`;
    document.getElementById("grouser-top").append(panel);
    panel.querySelector("button").addEventListener("click", hide);
    connect();
  });
})();
