// Runs in the page around the 3D replay: cursors in the charts, and clicks that seek the player.
(() => {
  const frame = document.getElementById("replay-frame");
  const clock = document.getElementById("replay-time");
  // Only charts over the time of the log.
  const charts = [...document.querySelectorAll(".figure:not(.plan) .js-plotly-plot")].filter(
    (chart) => chart.layout?.xaxis?.title?.text === "time [s]",
  );
  const plans = [...document.querySelectorAll(".plan .js-plotly-plot")];
  const CLICK = 4; // a pointer that moved less counts as a click [pixels]
  let now = REPLAY.start;

  const send = (message) => frame.contentWindow.postMessage(message, "*");
  const seek = (time) => {
    const elapsed = Math.min(Math.max(time - REPLAY.start, 0), REPLAY.duration);
    send({ grouser: "seek", time: elapsed });
  };

  function overlay(chart, kind, colour) {
    const mark = document.createElement("div");
    mark.className = kind;
    if (colour) mark.style.background = colour;
    (chart.querySelector(".svg-container") || chart).appendChild(mark);
    return mark;
  }

  const cursors = charts.map((chart) => [chart, overlay(chart, "cursor")]);
  const dots = plans.flatMap((plan) =>
    REPLAY.runs.map((run) => [plan, overlay(plan, "dot", run.colour), run]),
  );

  // Position of a value of an axis on the page; null if it is outside of the axis.
  function pixel(axis, value) {
    const place = axis.l2p(value);
    return place >= -1 && place <= axis._length + 1 ? axis._offset + place : null;
  }

  function between(times, values, time) {
    let low = 0, high = times.length - 1;
    if (time <= times[0]) return values[0];
    if (time >= times[high]) return values[high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    const share = (time - times[low]) / (times[high] - times[low]);
    return values[low] + share * (values[high] - values[low]);
  }

  function show() {
    clock.textContent = now.toFixed(2) + " s";
    for (const [chart, cursor] of cursors) {
      const layout = chart._fullLayout;
      if (!layout || !layout.xaxis) continue;
      const x = pixel(layout.xaxis, now);
      cursor.hidden = x === null;
      if (x === null) continue;
      cursor.style.transform = `translateX(${x}px)`;
      cursor.style.top = layout.yaxis._offset + "px";
      cursor.style.height = layout.yaxis._length + "px";
    }
    for (const [plan, dot, run] of dots) {
      const layout = plan._fullLayout;
      if (!layout || !layout.xaxis) continue;
      const x = pixel(layout.xaxis, between(run.time, run.x, now));
      const y = pixel(layout.yaxis, between(run.time, run.y, now));
      dot.hidden = x === null || y === null;
      if (!dot.hidden) dot.style.transform = `translate(${x}px, ${y}px)`;
    }
  }

  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || event.data?.grouser !== "time") return;
    now = REPLAY.start + event.data.time;
    show();
  });

  for (const chart of charts) {
    let down = null;
    chart.addEventListener("pointerdown", (event) => {
      down = event.button === 0 ? event : null;
    }, true);
    // A chart covers the page while a pointer is down, so listen for its release on the window.
    addEventListener("pointerup", (event) => {
      const pressed = down;
      down = null;
      if (!pressed || !chart._fullLayout) return;
      if (Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) > CLICK) return;
      const { xaxis, yaxis } = chart._fullLayout;
      const box = chart.getBoundingClientRect();
      const x = event.clientX - box.left - xaxis._offset;
      const y = event.clientY - box.top - yaxis._offset;
      if (x < 0 || x > xaxis._length || y < 0 || y > yaxis._length) return;
      seek(xaxis.p2l(x));
    }, true);
    chart.on("plotly_afterplot", show);
  }
  for (const plan of plans) plan.on("plotly_afterplot", show);
  addEventListener("keydown", (event) => {
    if (event.code !== "Space" || event.target.closest?.("input, textarea, button, a")) return;
    event.preventDefault();
    send({ grouser: "toggle" });
  });
  show();
})();
