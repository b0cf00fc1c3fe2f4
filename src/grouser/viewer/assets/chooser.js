/* The list in which a person chooses the signals of a chart. */
(() => {
  "use strict";
  const grouser = window.grouser;

  function element(kind, name, text) {
    const made = document.createElement(kind);
    if (name) made.className = name;
    if (text) made.textContent = text;
    return made;
  }

  /** Show the list beside a chart; `choose` is called with all names after each change. */
  function openChooser(place, store, ghosts, chosen, choose) {
    document.getElementById("grouser-chooser")?.remove();
    const names = [...chosen];
    const box = element("div");
    box.id = "grouser-chooser";
    const head = element("div", "grouser-chooser-head");
    const find = element("input");
    find.type = "search";
    find.placeholder = "find a signal";
    const subjects = element("div", "grouser-chooser-subjects");
    let subject = "";
    const all = [["", "robot"], ...(ghosts.length > 1 ? [["*", "every ghost"]] : []),
      ...ghosts.map((ghost) => [ghost, ghost])];
    for (const [value, text] of all) {
      const button = element("button", value === subject ? "grouser-on" : "", text);
      button.addEventListener("click", () => {
        subject = value;
        for (const one of subjects.children) one.classList.toggle("grouser-on", one === button);
        draw();
      });
      subjects.append(button);
    }
    subjects.hidden = !ghosts.length;
    const close = element("button", "", "done");
    close.addEventListener("click", () => box.remove());
    head.append(find, close);
    const list = element("div", "grouser-chooser-list");
    box.append(head, subjects, list);

    const draw = () => {
      const word = find.value.trim().toLowerCase();
      const tail = subject ? `@${subject}` : "";
      const sample = subject === "*" ? `@${ghosts[0]}` : tail;
      const groups = new Map();
      for (const signal of store.signals.values()) {
        const [base, owner] = signal.name.split(/@(.*)/s);
        if ((owner ? `@${owner}` : "") !== sample) continue;
        if (!`${base} ${signal.group}`.toLowerCase().includes(word)) continue;
        if (!groups.has(signal.group)) groups.set(signal.group, []);
        groups.get(signal.group).push([base + tail, signal]);
      }
      list.replaceChildren(...[...groups].flatMap(([group, members]) => [
        element("h4", "", group), ...members.map(([name, signal]) => row(name, signal)),
      ]));
    };
    const row = (name, signal) => {
      const label = element("label");
      const check = element("input");
      check.type = "checkbox";
      check.checked = names.includes(name);
      check.addEventListener("change", () => {
        if (check.checked) names.push(name);
        else names.splice(names.indexOf(name), 1);
        choose([...names]);
      });
      label.append(check, name, element("i", "", grouser.chart.shown(signal.unit)[0]));
      label.dataset.signal = name;
      return label;
    };
    find.addEventListener("input", draw);
    draw();
    document.getElementById("grouser").append(box);
    const at = place.getBoundingClientRect();
    const left = Math.min(Math.max(at.left, 4), innerWidth - box.offsetWidth - 4);
    const top = Math.min(Math.max(at.top - box.offsetHeight - 4, 4),
      innerHeight - box.offsetHeight - 4);
    box.style.left = `${left}px`;
    box.style.top = `${Math.max(top, 4)}px`;
  }

  document.addEventListener("pointerdown", (event) => {
    const box = document.getElementById("grouser-chooser");
    if (box && event.target instanceof Node && !box.contains(event.target)) box.remove();
  });

  grouser.element = element;
  grouser.openChooser = openChooser;
})();
