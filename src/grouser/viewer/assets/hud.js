/* The instruments at the lower left of the driving page. */
(() => {
  "use strict";
  const grouser = window.grouser;
  const SIGN = "left | right; positive lowers the front end of a flipper";
  const HTML = `
    <div id="grouser-hud">
      <div class="grouser-big"><b data-show="speed">–</b><i>m/s</i></div>
      <div><i id="grouser-wanted">commanded</i><b data-show="commanded">–</b><i>m/s</i></div>
      <div><i>belts L | R</i><b data-show="belts">–</b><i>m/s</i></div>
      <div><i>slip L | R</i><b data-show="slips">–</b><i>%</i></div>
      <div><i>yaw rate</i><b data-show="yaw_rate">–</b><i>°/s</i></div>
      <div><i>pitch</i><b data-show="pitch">–</b><i>°</i></div>
      <div><i>roll</i><b data-show="roll">–</b><i>°</i></div>
      <div data-flippers="front" hidden><i title="${SIGN}">front flippers</i><b></b><i>°</i></div>
      <div data-flippers="rear" hidden><i title="${SIGN}">rear flippers</i><b></b><i>°</i></div>
      <div id="grouser-tip-over" hidden>
        <i title="angle until it tips over an edge of what it stands on">tips over in</i>
        <b data-show="tip_over">–</b><i>°</i>
      </div>
      <div><i>time</i><b data-show="time">–</b><i>s</i></div>
      <div><i>real-time factor</i><b data-show="factor">–</b><i>×</i></div>
      <div><i>tick delay</i><b data-show="tick_delay">–</b><i>ms</i></div>
      <div id="grouser-mode"></div>
      <div id="grouser-gaps"></div>
      <div id="grouser-ruts"></div>
    </div>
    <div id="grouser-corner">
      <div id="grouser-readers"></div>
      <div id="grouser-legend"></div>
    </div>`;

  const number = (value, digits) =>
    Number.isFinite(value) ? value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1") : "–";
  const numbers = (values, digits, factor = 1) =>
    (values ?? []).map((value) => number(value === null ? NaN : factor * value, digits));
  grouser.number = number;

  function mode(status) {
    if (!grouser.connected || !status) return ["no connection", "bad"];
    if (status.you !== "drive") return ["watching", "calm"];
    if (status.mode === "replay") return [status.paused ? "replay, paused" : "replay", "calm"];
    if (status.paused) return ["paused", "warn"];
    if (status.mode === "measured") return ["robot outside, only watched", "good"];
    if (status.mode === "board") return ["driven by a board", "good"];
    if (status.mode === "hand") return ["you drive the board", "good"];
    return status.mode === "path" ? ["following the path", "good"] : ["you drive", "good"];
  }

  /** Return a line of a list with a mark of a colour before its words. */
  function entry(colour, words, picture) {
    const line = document.createElement("div");
    const mark = document.createElement("u");
    mark.style.background = colour;
    if (picture) mark.className = `grouser-${picture}`;
    line.append(mark, words);
    return line;
  }

  function list(id, lines) {
    document.getElementById(id).replaceChildren(...lines);
  }

  function show(hud, status) {
    const values = {
      speed: number(status.speed, 2), commanded: number(status.commanded, 2),
      belts: numbers(status.belts, 2).join(" | "),
      slips: numbers(status.slips, 0, 100).join(" | "),
      yaw_rate: number(status.yaw_rate, 1), pitch: number(status.pitch, 1),
      roll: number(status.roll, 1),
      tip_over: number(status.tip_over ?? NaN, 0), time: number(status.time, 1),
      factor: number(status.factor, 2), tick_delay: number(status.tick_delay, 0),
    };
    for (const name in values) hud.querySelector(`[data-show=${name}]`).textContent = values[name];
    for (const row of hud.querySelectorAll("[data-flippers]")) {
      const angles = status.flippers?.[row.dataset.flippers] ?? [];
      row.hidden = !angles.length;
      row.querySelector("b").textContent = numbers(angles, 1).join(" | ");
    }
    const tips = document.getElementById("grouser-tip-over");
    tips.hidden = (status.tip_over ?? null) === null;
    tips.classList.toggle("grouser-tips", status.tip_over < 0);
    list("grouser-gaps", status.gaps.map((gap) => {
      const since = gap.since === null ? "" : `, diverged at ${number(gap.since, 1)} s`;
      const away = `${number(gap.distance, 2)} m ${number(gap.heading, 1)}°`;
      return entry(gap.colour, `${gap.model} ${away}${since}`);
    }));
    list("grouser-ruts", status.ruts.map((rut) => entry(rut.colour, rut.depth)));
    list("grouser-legend",
      (status.legend ?? []).map((one) => entry(one.colour, one.words, one.picture)));
    const wanted = status.mode === "measured" ? "belts" : "commanded";
    document.getElementById("grouser-wanted").textContent = wanted;
  }

  grouser.on("status", (status) => {
    const hud = document.getElementById("grouser-hud");
    if (!hud) return;
    if (status) show(hud, status);
    const [word, mood] = mode(status);
    const place = document.getElementById("grouser-mode");
    place.textContent = word;
    place.className = mood;
  });

  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("grouser-foot").insertAdjacentHTML("beforeend", HTML);
  });
})();
