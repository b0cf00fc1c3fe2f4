/* What viser's panel cannot do by itself: icons of pieces, headings and lines in the list of
 * courses, and tool tips beside the panel instead of over its controls. */
(() => {
  "use strict";
  const grouser = window.grouser;
  const HEADING = 24; // height of a heading in a list [pixels]
  /** Pieces of the palette by the text of their buttons, drawn on 24 by 24. */
  const ICONS = {
    Box: "M3 8h18v9H3z",
    Ramp: "M1 18 8 8h8l7 10z",
    Step: "M2 18v-2h9V8h11v10z",
    Stairs: "M2 20v-3h5v-4h5V9h5V5h5v15z",
    Pallet: "M2 7h20v3H2zm0 4h4v5H2zm8 0h4v5h-4zm8 0h4v5h-4zM2 17h20v2H2z",
    Bumps: "M1 18c3 0 3-7 6-7s3 4 5 4 2-8 5-8 3 11 6 11z",
    Pipe: "M12 4a8 8 0 1 0 .1 0zm0 3a5 5 0 1 1-.1 0z",
    Cone: "M12 4 21 19H3z",
    "Tilted box": "M3 15 20 6l2 5-17 9z",
    Waves: "M1 17q3-9 6-4.500t5 0 5 0 6 4.500v2H1z",
    Stepfield: "M2 20v-6h5V9h5v7h5V6h5v14z",
    Ice: "M11 3h2v7l6-4 1 2-6 4 6 4-1 2-6-4v7h-2v-7l-6 4-1-2 6-4-6-4 1-2 6 4z",
    Sand: "M2 18q10-13 20 0zM5 8h2v2H5zm6-4h2v2h-2zm6 4h2v2h-2z",
  };

  // --- the palette ------------------------------------------------------------------------------
  grouser.on("status", (status) => {
    for (const button of document.querySelectorAll(".mantine-Flex-root > .mantine-Button-root")) {
      const text = button.textContent.trim();
      if (!(text in ICONS)) continue;
      if (button.dataset.piece !== text) {
        button.dataset.piece = text;
        const picture = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path d='${ICONS[text]}'/></svg>`;
        button.style.setProperty("--icon", `url("data:image/svg+xml,${encodeURIComponent(picture)}")`);
      }
      button.setAttribute("aria-pressed", String(status?.clicks?.piece === text));
    }
  });

  // --- the list of courses ----------------------------------------------------------------------
  const known = (option) => grouser.courses[option?.textContent.trim()] ?? [];

  /** Whether an entry is one of a list of courses: a posture may have the name of a course. */
  const isListed = (option) => {
    const all = [...option.parentElement.children];
    return 2 * all.filter((one) => known(one).length).length > all.length;
  };

  /** Give an entry that is a course its line, and the first one of a group its heading. */
  grouser.describeOption = (option) => {
    const [group, line] = known(option);
    if (line === undefined || !isListed(option)) return;
    option.dataset.line = line;
    if (group && known(option.previousElementSibling)[0] !== group) option.dataset.group = group;
    else delete option.dataset.group;
  };
  window.addEventListener("click", (event) => {
    const option = event.target instanceof Element && event.target.closest("[data-group]");
    if (!option || event.clientY > option.getBoundingClientRect().top + HEADING) return;
    event.stopImmediatePropagation(); // a heading is no entry
    event.preventDefault();
  }, true);

  // --- tool tips --------------------------------------------------------------------------------
  document.addEventListener("pointerover", (event) => {
    const panel = event.target instanceof Element && event.target.closest("[data-testid=floating-panel]");
    if (!panel) return;
    const room = innerWidth - panel.getBoundingClientRect().left + 8;
    document.body.style.setProperty("--grouser-tip", `${Math.round(room)}px`);
  }, true);
})();
