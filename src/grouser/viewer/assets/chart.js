/* One chart of the driving page: data of chosen signals over time, drawn on a canvas. */
(() => {
  "use strict";
  const COLOURS = ["#0072b2", "#009e73", "#cc79a7", "#d55e00", "#e69f00", "#56b4e9", "#000000"];
  const COMMANDED = "#7f7f7f";
  const KEPT = 12000; // points; ten minutes
  const DEGREES = 180 / Math.PI;
  const MARGIN = { left: 46, right: 46, top: 6, bottom: 18 };

  /** Values of signals by time, as the server sends them. */
  class Store {
    constructor() {
      this.epoch = null;
      this.times = [];
      this.columns = new Map();
      this.signals = new Map();
    }

    /** Take a message of the server; return whether the list of signals has changed. */
    take(message) {
      if (message.signals)
        this.signals = new Map(message.signals.map(([name, unit, group, least, limit]) =>
          [name, { name, unit, group, least, limit: limit ?? Infinity }]));
      if (message.names) this.begin(message);
      const names = [...this.columns.keys()];
      for (const row of message.rows) {
        this.times.push(row[0]);
        names.forEach((name, number) => this.columns.get(name).push(row[number + 1]));
      }
      if (this.times.length > KEPT) this.cut(this.times.length - KEPT);
      return Boolean(message.signals);
    }

    /** Begin with other names; what is known of the same epoch before the new rows stays. */
    begin(message) {
      const first = message.rows.length ? message.rows[0][0] : Infinity;
      const kept = message.epoch === this.epoch ? this.times.filter((time) => time < first).length : 0;
      const empty = () => new Array(kept).fill(null);
      this.columns = new Map(message.names.map((name) =>
        [name, this.columns.has(name) ? this.columns.get(name).slice(0, kept) : empty()]));
      this.times = this.times.slice(0, kept);
      this.epoch = message.epoch;
    }

    cut(count) {
      this.times.splice(0, count);
      for (const column of this.columns.values()) column.splice(0, count);
    }

    get end() { return this.times.length ? this.times[this.times.length - 1] : 0; }

    /** Return the number of the first point at or after a time. */
    place(time) {
      let low = 0, high = this.times.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.times[middle] < time) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    /** Return the number of the point nearest to a time; -1 if there is none. */
    nearest(time) {
      const after = this.place(time);
      if (after >= this.times.length) return this.times.length - 1;
      if (after && time - this.times[after - 1] < this.times[after] - time) return after - 1;
      return after;
    }
  }

  /** Unit as it is shown, and the factor from SI to it. */
  function shown(unit) {
    if (unit === "rad") return ["°", DEGREES];
    if (unit === "rad/s") return ["°/s", DEGREES];
    return [unit, 1];
  }

  /** Values of an axis at round numbers. */
  function ticks(low, high, most) {
    const rough = (high - low) / Math.max(most, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
    const found = [];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n++)
      found.push(n * step);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return found.map((value) => [value, value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1")]);
  }

  /** Number for a reader: four digits or so. */
  function word(value) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    const digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    return value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
  }

  /** Return the range of an axis: all values, at least as wide as `least`, and 0 if it is near. */
  function range(low, high, least) {
    if (low > high) [low, high] = [0, 0];
    if (low > 0 && low < least) low = 0;
    if (high < 0 && high > -least) high = 0;
    const missing = least - (high - low);
    if (missing > 0) [low, high] = [low - missing / 2, high + missing / 2];
    const rim = 0.06 * (high - low);
    return [low - rim, high + rim];
  }

  /** Lines of a chart that have a signal, with their colours; `@*` stands for every ghost. */
  function lines(names, ghosts, colours) {
    const found = [];
    const bases = [];
    for (const name of names) {
      const [base, subject] = name.split(/@(.*)/s);
      if (!bases.includes(base)) bases.push(base);
      for (const ghost of subject === "*" ? ghosts : [subject]) {
        const full = ghost ? `${base}@${ghost}` : base;
        if (found.some((line) => line.name === full)) continue;
        const own = COLOURS[(found.length) % COLOURS.length];
        const grey = !ghost && base.includes("commanded");
        const colour = grey ? COMMANDED : (ghost && colours[ghost]) || own;
        found.push({ name: full, colour, dash: ghost && bases.length > 1 ? [6, 3] : [] });
      }
    }
    const plain = found.filter((line) => line.colour !== COMMANDED && !line.name.includes("@"));
    plain.forEach((line, number) => { line.colour = COLOURS[number % COLOURS.length]; });
    return found;
  }

  /** Axes of a chart by unit: the first on the left, the second on the right. */
  function axes(store, drawn, from, to) {
    const found = new Map();
    for (const line of drawn) {
      const signal = store.signals.get(line.name);
      const column = store.columns.get(line.name);
      if (!signal || !column) continue;
      const [unit, factor] = shown(signal.unit);
      const axis = found.get(unit) ??
        { unit, factor, least: 0, low: Infinity, high: -Infinity, lines: [] };
      axis.least = Math.max(axis.least, signal.least * factor);
      const start = Math.max(store.place(from) - 1, 0);
      for (let n = start; n < column.length && store.times[n] <= to; n++) {
        if (column[n] === null) continue;
        const value = factor * Math.max(-signal.limit, Math.min(signal.limit, column[n]));
        axis.low = Math.min(axis.low, value);
        axis.high = Math.max(axis.high, value);
      }
      axis.lines.push({ ...line, column, limit: signal.limit });
      found.set(unit, axis);
    }
    for (const axis of found.values())
      [axis.low, axis.high] = range(axis.low, axis.high, axis.least);
    return [...found.values()];
  }

  function drawAxis(pen, axis, number, box, width) {
    const y = (value) => box.bottom - ((value - axis.low) / (axis.high - axis.low)) * box.height;
    pen.textAlign = number === 0 ? "right" : "left";
    const x = number === 0 ? box.left - 5 : width - MARGIN.right + 5;
    const found = ticks(axis.low, axis.high, box.height / 26);
    for (const [value, text] of found) {
      if (number === 0) {
        pen.fillStyle = value === 0 ? "#9aa7b4" : "#e3e8ed";
        pen.fillRect(box.left, Math.round(y(value)), box.width, 1);
      }
      pen.fillStyle = "#5d6b7a";
      pen.fillText(text, x, y(value) + 3.5);
    }
    pen.fillStyle = "#1d2733";
    const at = number === 0 ? 2 : width - 2;
    pen.textAlign = number === 0 ? "left" : "right";
    pen.fillText(`[${axis.unit}]`, at, box.bottom + 13);
  }

  function drawLine(pen, store, line, axis, box, from, to) {
    const scale = box.width / (to - from);
    pen.strokeStyle = line.colour;
    pen.lineWidth = 1.5;
    pen.setLineDash(line.dash);
    pen.beginPath();
    const last = Math.min(store.place(to) + 1, line.column.length);
    const first = Math.max(store.place(from) - 1, 0);
    // Of many points per pixel, the least and the largest of each group are drawn.
    const group = Math.max(1, Math.floor((last - first) / (2 * box.width)));
    let isDown = false;
    for (let n = first; n < last; n += group) {
      const values = line.column.slice(n, Math.min(n + group, last)).filter((v) => v !== null);
      if (!values.length) { isDown = false; continue; }
      for (const value of group === 1 ? values : [Math.min(...values), Math.max(...values)]) {
        const limited = axis.factor * Math.max(-line.limit, Math.min(line.limit, value));
        const x = box.left + (store.times[n] - from) * scale;
        const y = box.bottom - ((limited - axis.low) / (axis.high - axis.low)) * box.height;
        if (isDown) pen.lineTo(x, y);
        else pen.moveTo(x, y);
        isDown = true;
      }
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  /** Draw lines from one time to another; return the box of the plot. */
  function paint(pen, width, height, store, drawn, view) {
    pen.font = "11px system-ui, sans-serif";
    pen.clearRect(0, 0, width, height);
    const { from, to } = view;
    const found = axes(store, drawn, from, to);
    const right = found.length > 1 ? MARGIN.right : 12;
    const box = { left: MARGIN.left, top: MARGIN.top, width: width - MARGIN.left - right,
      height: height - MARGIN.top - MARGIN.bottom, bottom: height - MARGIN.bottom };
    found.slice(0, 2).forEach((axis, number) => drawAxis(pen, axis, number, box, width));
    pen.textAlign = "center";
    for (const [value, text] of ticks(from, to, box.width / 60)) {
      const x = box.left + ((value - from) / (to - from)) * box.width;
      pen.fillStyle = "#e3e8ed";
      pen.fillRect(Math.round(x), box.top, 1, box.height);
      pen.fillStyle = "#5d6b7a";
      pen.fillText(text, x, box.bottom + 13);
    }
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.width, box.height);
    pen.clip();
    for (const axis of found)
      for (const line of axis.lines) drawLine(pen, store, line, axis, box, from, to);
    pen.restore();
    return box;
  }

  window.grouser.chart = { Store, axes, lines, paint, shown, word, MARGIN };
})();
