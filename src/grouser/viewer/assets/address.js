/* The address of the page: it names the scene, the camera and the charts, and opens them again.
 *
 * A page that is opened by such an address and drives sends the scene to the server, which checks
 * it. A page that watches, or is only loaded again, takes the layout and follows what is shown.
 */
(() => {
  "use strict";
  const grouser = window.grouser;
  const given = new URLSearchParams(location.search);
  const PARTS = ["robot", "course", "soil", "model"];
  const MOST_GHOSTS = 4, PATIENCE = 60000, NOTHING = "nothing";
  const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload";
  const hide = (name) => name.replace(/[%;]/g, encodeURIComponent);
  const reveal = (name) => { try { return decodeURIComponent(name); } catch { return ""; } };
  const words = (text, mark) => text.split(mark).map(reveal).filter(Boolean);
  let waits = true;
  const isOne = (word) => word !== NOTHING;
  let opened = null;
  let written = "";

  /** Return the scene of the address; null if it names none. */
  function wanted() {
    const scene = {};
    for (const part of PARTS) if (given.get(part)) scene[part] = given.get(part).slice(0, 200);
    if (given.has("ghosts"))
      scene.ghosts = words(given.get("ghosts"), ";").slice(0, MOST_GHOSTS);
    if (given.has("show")) scene.show = words(given.get("show"), ",").filter(isOne).slice(0, 20);
    return Object.keys(scene).length ? scene : null;
  }

  const isShown = (scene, status) => Object.entries(scene).every(([part, value]) =>
    String(status.scene[part] ?? "") === String(value));

  function openLayout() {
    const height = Number.parseInt(given.get("dock") ?? "", 10);
    if (given.has("charts"))
      grouser.charts.show(given.get("charts"), Number.isFinite(height) ? height : null);
    if (given.has("cameras")) grouser.sensors.toggle(true);
  }

  function openCamera() {
    const mode = given.get("camera");
    const eye = (given.get("eye") ?? "").split(",").map(Number);
    const reads = {};
    if (["follow", "orbit", "top", "fixed"].includes(mode)) reads.camera = mode;
    if (eye.length === 6 && eye.every((part) => Number.isFinite(part) && Math.abs(part) < 1e5))
      reads.eye = eye;
    if (Object.keys(reads).length) grouser.send({ reads });
  }

  /** Open what the address names, once; return whether that is done. */
  function openScene(status) {
    if (opened !== null) {
      // A scene may take a while to appear; a part of it may be rejected.
      if (!isShown(opened.scene, status) && Date.now() < opened.until) return false;
      openCamera();
      return true;
    }
    const scene = isReload ? null : wanted();
    if (scene && status.you === "drive" && !isShown(scene, status)) {
      opened = { scene, until: Date.now() + (status.note ? PATIENCE : 4000) };
      grouser.send({ scene });
      return false;
    }
    openCamera();
    return true;
  }

  function write(status) {
    const query = new URLSearchParams(location.search);
    const set = (name, value) => (value ? query.set(name, value) : query.delete(name));
    const { scene } = status;
    for (const part of PARTS)
      set(part, part === "soil" && scene.soil === "as described" ? "" : scene[part]);
    set("ghosts", scene.ghosts.map(hide).join(";"));
    set("show", scene.show.join() === "trails" ? "" : scene.show.join() || NOTHING);
    set("camera", status.camera === "follow" ? "" : status.camera);
    set("eye", (status.eye ?? []).join());
    const { state, write: layout } = grouser.charts;
    set("charts", state.isOpen ? layout(state.layout) : "");
    set("dock", state.isOpen && state.height ? String(state.height) : "");
    set("cameras", grouser.sensors.isOn() ? "on" : "");
    // These characters are allowed in a query, and are easier to read.
    const text = query.toString().replace(/%(2C|3A|3B|40|3D)/g, decodeURIComponent);
    if (text === written) return;
    written = text;
    history.replaceState(null, "", `?${text}`);
  }

  let last = 0;
  grouser.on("status", (status) => {
    if (!status || status.id === null || !status.scene) return;
    if (waits) {
      if (!openScene(status)) return;
      waits = false;
      last = Date.now() + 1000; // the server has not moved the camera yet
    }
    if (Date.now() - last < 500) return; // browsers limit how often an address may change
    last = Date.now();
    write(status);
  });
  document.addEventListener("DOMContentLoaded", openLayout);
})();
