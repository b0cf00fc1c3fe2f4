/* The dock of charts: which charts there are, hover, zoom, pause and export. */
(() => {
  "use strict";
  const grouser = window.grouser;
  const { Store, paint, lines, shown, word, MARGIN } = grouser.chart;
  const { element } = grouser;
  const DEFAULT = [["speed_commanded", "vx"], ["yaw_rate_commanded", "yaw_rate"],
    ["slip_left", "slip_right"], ["pitch", "roll"], ["distance@*"]];
  const MOST_CHARTS = 12, MOST_SIGNALS = 32, LONGEST_NAME = 100;
  const SPANS = [2, 600]; // seconds
  const store = new Store();
  const state = {
    isOpen: false, layout: DEFAULT.map((names) => [...names]), height: null,
    span: 20, range: null, pausedAt: null, hover: null,
  };
  let charts = [];
  let waits = false;
  let ghosts = "";

  const ghostNames = () => (grouser.status?.gaps ?? []).map((gap) => gap.model);
  const ghostColours = () =>
    Object.fromEntries((grouser.status?.gaps ?? []).map((gap) => [gap.model, gap.colour]));
  const linesOf = (names) => lines(names, ghostNames(), ghostColours());
  /** All signals that are needed, at most as many as the server accepts. */
  const needed = () => [...new Set(state.layout.flatMap((names) =>
    linesOf(names).map((line) => line.name)))].slice(0, MOST_SIGNALS);

  // --- layout in words: charts by semicolons, their signals by commas ---------------------------
  const hide = (name) => name.replace(/[%,;]/g, encodeURIComponent);
  const write = (layout) => layout.map((names) => names.map(hide).join(",")).join(";");
  function read(text) {
    const reveal = (name) => { try { return decodeURIComponent(name); } catch { return ""; } };
    const isName = (name) => name && name.length <= LONGEST_NAME;
    let left = MOST_SIGNALS;
    return text.split(";").slice(0, MOST_CHARTS).map((chart) => {
      const names = [...new Set(chart.split(",").map(reveal).filter(isName))].slice(0, left);
      left -= names.length;
      return names;
    });
  }

  // --- time that is shown ------------------------------------------------------------------------
  function view() {
    if (state.range) return { from: state.range[0], to: state.range[1] };
    const to = Math.max(state.pausedAt ?? store.end, state.span);
    return { from: to - state.span, to };
  }
  const isLive = () => !state.range && state.pausedAt === null;

  function zoom(factor, time) {
    const { from, to } = view();
    const span = Math.min(Math.max((to - from) * factor, SPANS[0] / 20), SPANS[1]);
    if (isLive()) {
      state.span = Math.max(span, SPANS[0]);
    } else {
      const share = (time - from) / (to - from);
      state.range = [time - share * span, time + (1 - share) * span];
    }
    redraw();
  }

  function live() {
    Object.assign(state, { range: null, pausedAt: null, span: 20 });
    redraw();
  }

  function pause() {
    if (isLive()) state.pausedAt = store.end;
    else Object.assign(state, { range: null, pausedAt: null });
    redraw();
  }

  // --- drawing -------------------------------------------------------------------------------------
  function redraw() {
    if (waits || !state.isOpen) return;
    waits = true;
    requestAnimationFrame(() => { waits = false; draw(); });
  }

  function draw() {
    const now = view();
    document.getElementById("grouser-pause").textContent = isLive() ? "❚❚ pause" : "▶ live";
    const at = state.hover === null ? store.times.length - 1 : store.nearest(state.hover);
    for (const chart of charts) drawChart(chart, now, at);
  }

  function drawChart(chart, now, at) {
    const drawn = linesOf(chart.names);
    // A chart of ghosts only is hidden while there are none.
    chart.root.hidden = !drawn.length && chart.names.length > 0;
    if (chart.root.hidden) return;
    const width = chart.canvas.clientWidth, height = chart.canvas.clientHeight;
    const ratio = devicePixelRatio || 1;
    if (chart.canvas.width !== Math.round(width * ratio) ||
        chart.canvas.height !== Math.round(height * ratio)) {
      chart.canvas.width = Math.round(width * ratio);
      chart.canvas.height = Math.round(height * ratio);
    }
    const pen = chart.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    chart.box = paint(pen, width, height, store, drawn, now);
    if (state.hover !== null && at >= 0) mark(pen, chart, now, store.times[at]);
    if (chart.dragged) {
      const [start, end] = chart.dragged;
      pen.fillStyle = "rgba(0, 114, 178, 0.15)";
      pen.fillRect(Math.min(start, end), chart.box.top, Math.abs(end - start), chart.box.height);
    }
    showLegend(chart, drawn, at);
  }

  function mark(pen, chart, now, time) {
    const { box } = chart;
    const x = box.left + ((time - now.from) / (now.to - now.from)) * box.width;
    if (x < box.left || x > box.left + box.width) return;
    pen.fillStyle = "#1d2733";
    pen.fillRect(Math.round(x), box.top, 1, box.height);
    pen.textAlign = x > box.left + box.width / 2 ? "right" : "left";
    pen.fillText(` ${time.toFixed(2)} s `, x, box.top + 10);
  }

  /** Return the value of a line at a point in the unit that is shown, with this unit. */
  function valueOf(name, at) {
    const signal = store.signals.get(name);
    const value = store.columns.get(name)?.[at] ?? null;
    const [unit, factor] = shown(signal?.unit ?? "");
    return [value === null ? null : factor * value, unit];
  }

  function showLegend(chart, drawn, at) {
    const key = drawn.map((line) => line.name + line.colour).join();
    if (chart.key !== key) {
      chart.key = key;
      chart.legend.replaceChildren(...drawn.map((line) => {
        const entry = element("span");
        const dot = element("u");
        dot.style.background = line.colour;
        entry.append(dot, element("span", "", line.name), element("b"));
        entry.dataset.signal = line.name;
        return entry;
      }));
    }
    drawn.forEach((line, number) => {
      const [value, unit] = valueOf(line.name, at);
      const text = store.signals.size && !store.signals.has(line.name) ? "not known"
        : `${word(value)}${unit === "1" ? "" : ` ${unit}`}`;
      chart.legend.children[number].lastChild.textContent = text;
    });
    chart.hint.hidden = drawn.length > 0;
  }

  // --- one chart on the page ---------------------------------------------------------------------
  function addChart(names) {
    const root = element("div", "grouser-chart");
    const head = element("div", "grouser-chart-head");
    const legend = element("div", "grouser-chart-legend");
    const hint = element("div", "grouser-chart-hint", "press + to choose signals");
    const more = element("button", "", "+");
    more.title = "choose the signals of this chart";
    const remove = element("button", "", "×");
    remove.title = "remove this chart";
    head.append(legend, more, remove);
    const canvas = element("canvas");
    root.append(head, hint, canvas);
    const chart = { root, legend, hint, canvas, names, key: null, box: null, dragged: null };
    more.addEventListener("click", () =>
      grouser.openChooser(root, store, ghostNames(), chart.names, (chosen) => {
        chart.names = chosen;
        change();
      }));
    remove.addEventListener("click", () => {
      charts = charts.filter((one) => one !== chart);
      root.remove();
      change();
    });
    listen(chart);
    return chart;
  }

  function listen(chart) {
    const { canvas } = chart;
    const pointers = new Map();
    let pinched = null;
    const timeAt = (x) => {
      const now = view(), { box } = chart;
      return now.from + ((x - box.left) / box.width) * (now.to - now.from);
    };
    const spread = () => {
      const [a, b] = [...pointers.values()];
      return [Math.min(a, b), Math.max(a, b)];
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (!chart.box) return;
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event.offsetX);
      if (pointers.size === 2) {
        chart.dragged = null;
        pinched = spread().map(timeAt);
      } else if (event.pointerType === "mouse") {
        chart.dragged = [event.offsetX, event.offsetX];
      }
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!chart.box) return;
      state.hover = timeAt(event.offsetX);
      if (pointers.has(event.pointerId)) pointers.set(event.pointerId, event.offsetX);
      if (chart.dragged) chart.dragged[1] = event.offsetX;
      if (pinched && pointers.size === 2) {
        const [left, right] = spread(), [first, second] = pinched;
        const rate = (second - first) / Math.max(right - left, 8);
        const from = first - (left - chart.box.left) * rate;
        state.range = [from, from + Math.max(chart.box.width * rate, 0.1)];
      }
      redraw();
    });
    const end = (event) => {
      pointers.delete(event.pointerId);
      if (pointers.size < 2) pinched = null;
      const dragged = chart.dragged;
      chart.dragged = null;
      if (event.type === "pointerup" && dragged && Math.abs(dragged[1] - dragged[0]) > 6)
        state.range = [timeAt(Math.min(...dragged)), timeAt(Math.max(...dragged))];
      redraw();
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => { state.hover = null; redraw(); });
    canvas.addEventListener("dblclick", live);
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (chart.box) zoom(Math.exp(0.0015 * event.deltaY), timeAt(event.offsetX));
    }, { passive: false });
  }

  // --- export ----------------------------------------------------------------------------------------
  function save(name, blob) {
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /** Values in SI units: those of the time that is shown, or all while the charts go on. */
  function csv() {
    const names = needed().filter((name) => store.columns.has(name));
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const head = names.map((name) => quote(`${name} [${store.signals.get(name)?.unit ?? "1"}]`));
    const { from, to } = isLive() ? { from: -Infinity, to: Infinity } : view();
    const rows = [["time [s]", ...head].join(",")];
    store.times.forEach((time, at) => {
      if (time >= from && time <= to)
        rows.push([time, ...names.map((name) => store.columns.get(name)[at] ?? "")].join(","));
    });
    return `${rows.join("\n")}\n`;
  }

  function png() {
    const visible = charts.filter((chart) => !chart.root.hidden);
    const width = 900, height = 220, head = 18;
    const canvas = element("canvas");
    canvas.width = 2 * width;
    canvas.height = 2 * (height + head) * Math.max(visible.length, 1);
    const pen = canvas.getContext("2d");
    visible.forEach((chart, number) => {
      const part = element("canvas");
      part.width = 2 * width;
      part.height = 2 * height;
      const own = part.getContext("2d");
      own.scale(2, 2);
      const drawn = linesOf(chart.names);
      paint(own, width, height, store, drawn, view());
      pen.setTransform(1, 0, 0, 1, 0, 2 * number * (height + head));
      pen.fillStyle = "#fff";
      pen.fillRect(0, 0, 2 * width, 2 * (height + head));
      pen.drawImage(part, 0, 2 * head);
      pen.font = "24px system-ui, sans-serif";
      let x = 2 * MARGIN.left;
      for (const line of drawn) {
        pen.fillStyle = line.colour;
        pen.fillText(line.name, x, 28);
        x += pen.measureText(line.name).width + 30;
      }
    });
    canvas.toBlob((blob) => save("grouser-charts.png", blob), "image/png");
  }

  // --- the dock ----------------------------------------------------------------------------------------
  function subscribe() {
    ghosts = ghostNames().join();
    grouser.send({ reads: state.isOpen ? { signals: needed() } : { closed: true } });
  }

  /** Take over what the charts on the page are now. */
  function change() {
    state.layout = charts.map((chart) => chart.names);
    resize(state.height);
    subscribe();
    grouser.emit("layout");
    redraw();
  }

  function build() {
    charts = state.layout.map((names) => addChart([...names]));
    document.getElementById("grouser-charts-list").replaceChildren(...charts.map((c) => c.root));
    change();
  }

  function open(isOpen) {
    state.isOpen = isOpen;
    document.body.classList.toggle("grouser-charting", isOpen);
    document.getElementById("grouser-open-charts").setAttribute("aria-pressed", String(isOpen));
    document.getElementById("grouser-chooser")?.remove();
    resize(state.height);
    subscribe();
    grouser.emit("layout");
    redraw();
  }

  /** Height in which all charts fit, if they are few [pixels]. */
  function usualHeight() {
    const isSmall = innerWidth < 577;
    const width = (innerWidth < 860 ? innerWidth : innerWidth - 346) - 10;
    const columns = Math.max(Math.floor(width / (isSmall ? 156 : 236)), 1);
    const count = charts.filter((one) => !one.names.length || linesOf(one.names).length).length;
    const needed = (isSmall ? 100 : 52) + 126 * Math.ceil(count / columns);
    return Math.min(Math.max(needed, 240), 0.5 * innerHeight);
  }

  function resize(height) {
    const most = Math.max(innerHeight - 120, 120);
    state.height = height === null ? null : Math.round(Math.min(Math.max(height, 110), most));
    const used = state.height ?? usualHeight();
    document.body.style.setProperty("--grouser-dock", `${state.isOpen ? used : 0}px`);
    redraw();
  }

  function button(text, title, act) {
    const made = element("button", "", text);
    made.title = title;
    made.addEventListener("click", act);
    return made;
  }

  function addDock() {
    const root = document.getElementById("grouser");
    const tools = document.getElementById("grouser-readers");
    const opener = button("charts", "show or hide the charts", () => open(!state.isOpen));
    opener.id = "grouser-open-charts";
    tools.append(opener);
    const dock = element("div");
    dock.id = "grouser-dock";
    const edge = element("div", "grouser-edge");
    const bar = element("div", "grouser-bar");
    const pauser = button("❚❚ pause", "stop the charts, or go on", pause);
    pauser.id = "grouser-pause";
    bar.append(
      pauser,
      button("+ chart", "add a chart", () => {
        if (charts.length >= MOST_CHARTS) return;
        charts.push(addChart([]));
        document.getElementById("grouser-charts-list").append(charts.at(-1).root);
        change();
      }),
      button("usual", "the usual charts", () => {
        state.layout = DEFAULT.map((names) => [...names]);
        live();
        build();
      }),
      button("CSV", "values in SI units as a file", () =>
        save("grouser-charts.csv", new Blob([csv()], { type: "text/csv" }))),
      button("PNG", "the charts as a picture", png),
      button("copy link", "copy the address of this scene and these charts", () =>
        navigator.clipboard?.writeText(location.href)),
      element("span", "", "wheel or drag: zoom · double click: live"),
      button("×", "hide the charts", () => open(false)));
    bar.lastChild.className = "grouser-last";
    const list = element("div");
    list.id = "grouser-charts-list";
    dock.append(edge, bar, list);
    root.append(dock);
    edge.addEventListener("pointerdown", (event) => edge.setPointerCapture(event.pointerId));
    edge.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      const place = dock.getBoundingClientRect();
      const isTop = getComputedStyle(dock).top === "0px" || place.top < 100;
      resize(isTop ? event.clientY - place.top : innerHeight - event.clientY);
      grouser.emit("layout");
    });
  }

  grouser.on("charts", (message) => { store.take(message); redraw(); });
  grouser.on("status", () => {
    if (state.isOpen && ghostNames().join() !== ghosts) { subscribe(); resize(state.height); }
  });
  grouser.on("identified", () => { if (state.isOpen) subscribe(); });
  addEventListener("resize", () => resize(state.height));
  document.addEventListener("DOMContentLoaded", () => {
    addDock();
    build();
  });
  grouser.charts = {
    store, state, view, write, read, csv, open,
    isUsual: () => write(state.layout) === write(DEFAULT),
    /** Show another layout, as an address has it. */
    show(text, height) {
      state.layout = read(text);
      state.height = height;
      build();
      open(true);
    },
  };
})();
