/* A mode of clicks, such as placing pieces, ends with the tab of the panel in which it was begun.
 * Only the page knows which of viser's tabs is open. */
(() => {
  "use strict";
  const grouser = window.grouser;

  /** Return the name of the tab that is open; nothing while the panel has none. */
  const openTab = () =>
    document.querySelector("[role=tab][aria-selected=true]")?.textContent.trim() ?? "";

  grouser.on("status", (status) => {
    const clicks = status?.you === "drive" ? status.clicks : null;
    document.body.classList.toggle("grouser-clicks", Boolean(clicks));
    const tab = openTab();
    if (clicks && tab && tab !== clicks.tab) grouser.send({ act: "end" });
  });
})();
