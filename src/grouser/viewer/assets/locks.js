/* Controls of viser's panel that cannot be used are grey: those of the driver on a page that
 * watches, and entries of lists that the course does not allow. viser shows every page the same
 * controls, so this is done here, by their identifiers. */
(() => {
  "use strict";
  const grouser = window.grouser;
  const LOCKED = "grouser-locked";
  const WHY = "You are watching: press “Take control” to use this.";

  /** Return what is made grey for a control: its row with its label, or a button alone. */
  function rowOf(uuid) {
    const label = document.querySelector(`label[for="${uuid}"]`);
    let row = label ?? document.getElementById(uuid);
    while (label && row && !row.querySelector("input, button")) row = row.parentElement;
    return row;
  }

  function lock(uuids) {
    const wanted = new Set(uuids.map(rowOf).filter(Boolean));
    for (const row of document.querySelectorAll(`.${LOCKED}`))
      if (!wanted.has(row)) unlock(row);
    for (const row of wanted) {
      if (row.classList.contains(LOCKED)) continue;
      row.classList.add(LOCKED);
      row.inert = true;
      row.setAttribute("aria-disabled", "true");
      if (row.parentElement) row.parentElement.title = WHY;
    }
  }

  function unlock(row) {
    row.classList.remove(LOCKED);
    row.inert = false;
    row.removeAttribute("aria-disabled");
    row.parentElement?.removeAttribute("title");
  }
  grouser.on("status", (status) =>
    lock(status && status.you === "watch" ? status.locked ?? [] : []));

  // --- lists: whole names, and entries that are not allowed --------------------------------------
  const REASON = /\((needs .+|not here)\)$/;

  function mark(option) {
    const text = option.textContent.trim();
    option.title = text;
    grouser.describeOption(option);
    const isOut = REASON.test(text);
    option.classList.toggle("grouser-out", isOut);
    if (isOut) option.setAttribute("aria-disabled", "true");
    else option.removeAttribute("aria-disabled");
  }
  document.addEventListener("DOMContentLoaded", () => {
    const watch = new MutationObserver(() => {
      for (const option of document.querySelectorAll("[role=option]")) mark(option);
    });
    watch.observe(document.body, { childList: true, subtree: true });
  });
  window.addEventListener("click", (event) => {
    const option = event.target instanceof Element && event.target.closest(".grouser-out");
    if (!option) return;
    event.stopImmediatePropagation();
    event.preventDefault();
  }, true);
})();
