/* Help of the page, made of the table of keys: a hint, and a card with all keys and the gamepad. */
(() => {
  "use strict";
  const grouser = window.grouser;
  const CARD_MS = 12000; // how long the card stays when a gamepad was connected
  let shown = "";
  let timer = 0;

  /** Return what can be done now: words, keys and gamepad; rows that do the same are joined. */
  function rows() {
    const found = new Map();
    for (const row of grouser.table) {
      const words = grouser.words(row);
      if (!words) continue;
      const before = found.get(words);
      const join = (one, two) => [one, two].filter(Boolean).join(", ");
      found.set(words, {
        words,
        keys: join(before?.keys, row.keys),
        gamepad: join(before?.gamepad, row.gamepad),
        isHeld: Boolean(row.axes),
      });
    }
    return [...found.values()];
  }

  function element(tag, text, children = []) {
    const made = document.createElement(tag);
    made.textContent = text;
    made.append(...children);
    return made;
  }

  /** Two lines: what is held down to drive, and what is pressed once. */
  function hint(all) {
    const line = (some) => element("div", "", some.map(
      (row) => element("span", "", [element("b", row.keys), ` ${row.words}`])));
    const held = all.filter((row) => row.isHeld);
    const once = all.filter((row) => !row.isHeld);
    return [held, once].filter((some) => some.length).map(line);
  }

  function table(all) {
    const cells = (tag, texts) => element("tr", "", texts.map((text) => element(tag, text)));
    const body = all.map((row) => cells("td", [row.words, row.keys, row.gamepad || "–"]));
    return element("table", "", [cells("th", ["to", "keys", "gamepad"]), ...body]);
  }

  function draw() {
    const place = document.getElementById("grouser-help");
    if (!place) return;
    const all = rows();
    const now = JSON.stringify(all);
    if (now === shown) return;
    shown = now;
    document.body.classList.remove("grouser-driven"); // another mode has other keys
    place.replaceChildren(...hint(all));
    document.getElementById("grouser-keys").replaceChildren(table(all));
  }

  function show(isShown, title = "Keys and gamepad") {
    clearTimeout(timer);
    document.getElementById("grouser-card").hidden = !isShown;
    document.querySelector("#grouser-card h2").textContent = title;
  }

  grouser.on("status", draw);
  grouser.on("help", () => show(document.getElementById("grouser-card").hidden));
  grouser.on("gamepad", (id) => {
    const name = id.replace(/\s*\(.*$/, "").slice(0, 40);
    show(true, name ? `Gamepad: ${name}` : "Gamepad");
    timer = setTimeout(() => show(false), CARD_MS);
  });

  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("grouser-foot").insertAdjacentHTML("beforeend", `
      <div id="grouser-help"></div>
      <button id="grouser-ask" aria-label="keys and gamepad">?</button>`);
    document.getElementById("grouser").insertAdjacentHTML("beforeend", `
      <div id="grouser-card" role="dialog" aria-label="keys and gamepad" hidden>
        <button aria-label="close">×</button>
        <h2></h2>
        <div id="grouser-keys"></div>
        <p>Buttons are named as on an Xbox gamepad. On a touch screen, the round pad drives. The
        robot stops when a key, stick or finger is let go.</p>
      </div>`);
    document.getElementById("grouser-ask").addEventListener("click", () => grouser.emit("help"));
    document.querySelector("#grouser-card button").addEventListener("click", () => show(false));
    draw();
  });
})();
