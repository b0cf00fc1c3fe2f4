/* Pictures of the robot's cameras, while they are switched on. */
(() => {
  "use strict";
  const grouser = window.grouser;
  const { element } = grouser;
  const shown = new Map();
  let cameras = "";
  let isOn = false;

  function subscribe() {
    grouser.send({ reads: { cameras: isOn && cameras ? cameras.split("\n").slice(0, 8) : [] } });
  }

  function show(picture) {
    let figure = shown.get(picture.name);
    if (!figure) {
      figure = element("figure");
      figure.dataset.camera = picture.name;
      const image = element("img");
      image.alt = `picture of ${picture.name}`;
      figure.append(image, element("figcaption"));
      document.getElementById("grouser-sensors").append(figure);
      shown.set(picture.name, figure);
    }
    figure.firstChild.src = picture.data;
    const words = figure.lastChild;
    words.replaceChildren(`${picture.name}, ${grouser.number(picture.time, 1)} s`);
    if (picture.far !== undefined)
      words.append(` ${picture.near} m`, element("span", "grouser-depths"), `${picture.far} m`);
  }

  function toggle(on) {
    isOn = on;
    for (const figure of shown.values()) figure.remove();
    shown.clear();
    const button = document.getElementById("grouser-open-sensors");
    button.setAttribute("aria-pressed", String(on));
    subscribe();
    grouser.emit("layout");
  }

  grouser.on("pictures", (message) => {
    if (isOn) for (const picture of message.pictures) show(picture);
  });
  grouser.on("identified", () => { if (isOn) subscribe(); });
  grouser.on("status", (status) => {
    const button = document.getElementById("grouser-open-sensors");
    if (!status || !button) return;
    const names = (status.scene?.cameras ?? []).join("\n");
    button.hidden = !names;
    if (names === cameras) return;
    cameras = names;
    if (isOn) toggle(true);
  });
  document.addEventListener("DOMContentLoaded", () => {
    const panel = element("div");
    panel.id = "grouser-sensors";
    document.getElementById("grouser-corner").append(panel);
    const button = element("button", "", "cameras");
    button.id = "grouser-open-sensors";
    button.title = "show the pictures of the robot's cameras";
    button.hidden = true;
    button.addEventListener("click", () => toggle(!isOn));
    document.getElementById("grouser-readers").append(button);
  });
  grouser.sensors = { toggle, isOn: () => isOn };
})();
