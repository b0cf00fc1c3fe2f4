// Inside the frame of the 3D replay: tells its time, and goes to a time that it is told.
// The player of viser has a bar with a number, which takes a time [s], and a slider.
(() => {
  let last = null;
  const slider = () => document.querySelector('[role="slider"]');

  function watch() {
    const bar = slider();
    const time = bar ? parseFloat(bar.getAttribute("aria-valuenow")) : NaN;
    if (Number.isFinite(time) && time !== last) {
      last = time;
      parent.postMessage({ grouser: "time", time }, "*");
    }
    requestAnimationFrame(watch);
  }

  function seek(time) {
    const input = document.querySelector('input[inputmode="decimal"], input[inputmode="numeric"]');
    if (!input) return;
    // React listens to the event, and compares with the value that it last saw.
    const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    setter.call(input, time.toFixed(3));
    input.dispatchEvent(new Event("input", { bubbles: true }));
    // The field takes the focus a little later; then the space bar would no longer play.
    for (const wait of [0, 50, 200]) setTimeout(() => input.blur(), wait);
  }

  addEventListener("message", (event) => {
    if (event.source !== parent || !event.data) return;
    if (event.data.grouser === "seek") seek(event.data.time);
    if (event.data.grouser === "toggle") {
      document.activeElement?.blur();
      dispatchEvent(new KeyboardEvent("keydown", { code: "Space" }));
    }
  });
  requestAnimationFrame(watch);
})();
