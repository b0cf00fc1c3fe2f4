// Runs inside the frame of the 3D replay: posts its time to the page, and seeks to times posted
// by the page. viser's player has a slider, and an input field for the time [s].
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
  }

  function seek(time) {
    const input = document.querySelector('input[inputmode="decimal"], input[inputmode="numeric"]');
    if (!input) return;
    // React ignores the event unless the value differs from the last that it has seen.
    const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    setter.call(input, time.toFixed(3));
    input.dispatchEvent(new Event("input", { bubbles: true }));
    // The field gets the focus later, and would then take the space bar from the player.
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
  // Not by frames, of which a browser without a graphics card draws few.
  new MutationObserver(watch).observe(document, {
    subtree: true, childList: true, attributes: true, attributeFilter: ["aria-valuenow"],
  });
})();
