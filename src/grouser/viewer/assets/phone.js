/* Small screens: viser's panel is a bar that opens and closes, and never covers what thumbs use.
 *
 * Below 576 px viser has a sheet without a name, which Python cannot close, so it is found by its
 * place and marked. On wider but low screens its panel floats and has a button to minimise it.
 * Both are closed once, whenever the screen becomes one of these kinds, and opened again after. */
(() => {
  "use strict";
  const grouser = window.grouser;
  const narrow = window.matchMedia("(max-width: 576px)");
  const low = window.matchMedia("(max-height: 500px)");
  let settled = ""; // for which kind of screen the panel was opened or closed

  const kind = () => (narrow.matches ? "narrow" : low.matches ? "low" : "");

  function findSheet() {
    for (const node of document.querySelectorAll(".mantine-Paper-root")) {
      const { position, bottom, zIndex } = node.style;
      if (position === "fixed" && bottom === "0px" && zIndex === "10") return node;
    }
    return null;
  }

  const findHandle = (sheet) => [...sheet.querySelectorAll("div")].find(
    (one) => one.style.cursor === "pointer" && one.nextElementSibling?.hasAttribute("aria-hidden"));

  /** Return the panel's handle to open and close it, and whether it is open; null without one. */
  function findPanel() {
    if (narrow.matches) {
      const sheet = findSheet();
      sheet?.classList.add("grouser-sheet");
      const handle = sheet && findHandle(sheet);
      if (!handle) return null;
      handle.classList.add("grouser-handle");
      return { handle, isOpen: handle.nextElementSibling.getAttribute("aria-hidden") === "false" };
    }
    const handle = document.querySelector("[data-testid=floating-panel] [data-dock-minimize]");
    return handle && { handle, isOpen: handle.getAttribute("aria-expanded") === "true" };
  }

  function check() {
    const panel = findPanel();
    grouser.panel = panel && { isOpen: panel.isOpen };
    document.body.classList.toggle("grouser-panel-open", Boolean(panel?.isOpen));
    if (!panel || settled === kind()) return;
    settled = kind();
    const isWanted = settled === "";
    if (panel.isOpen !== isWanted) panel.handle.click();
    document.activeElement?.blur();
  }
  setInterval(check, 200);
  for (const query of [narrow, low]) query.addEventListener("change", check);
})();
