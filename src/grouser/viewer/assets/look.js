/* The look of the scene: what viser's Python side cannot set, and how fast the page draws.
 *
 * three.js announces its renderer and scene to whoever listens on `window.__THREE_DEVTOOLS__`.
 * With these the script casts the sun's shadows with one map around what is looked at, keeps
 * colours as they are chosen, and makes textures sharp at low angles. Each of these hooks may
 * vanish with a new version of viser: then the page shows what viser shows without them.
 * `grouser.look.hooks` says which were found. Runs before viser's own script, after page.js.
 */
(() => {
  "use strict";
  const NEUTRAL = 7; // THREE.NeutralToneMapping
  const FORCE = 0x6a1b9a; // colour of arrows that nothing hides, as forces.py has it
  const FAR = 1e4; // the sun's node is farther away than this [m]
  const REACH = 6; // half the width of what the shadow map covers [m]
  const LOOK_EVERY_MS = 400;
  const IDLE_MS = 1000; // a longer gap between two frames means that nothing moved
  const query = new URLSearchParams(location.search);
  const hooks = { renderer: false, scene: false, sun: false, frames: false, toast: false };
  const found = { renderer: null, scene: null };
  const look = { hooks, found, frameRate: null, shown: null, reports: 0, measureMs: 4000 };
  (window.grouser ??= {}).look = look;

  // Tests switch the hooks off to see that the page stays usable without them.
  if (!query.has("plain")) {
    try {
      const ears = (window.__THREE_DEVTOOLS__ ??= new EventTarget());
      ears.addEventListener("observe", (event) => {
        const thing = event.detail;
        if (thing?.isWebGLRenderer && !found.renderer) found.renderer = thing;
        if (thing?.isScene && !found.scene) found.scene = thing;
        hooks.renderer = Boolean(found.renderer?.info?.render && found.renderer.shadowMap);
        hooks.scene = Boolean(found.scene?.traverse);
      });
    } catch (error) {
      console.warn("grouser: no access to three.js", error);
    }
  }

  // --- light ------------------------------------------------------------------------------------
  let sun = null; // our own light, with the shadow map
  let model = null; // the light that Python has placed: its direction and colour

  function polish() {
    const { renderer, scene } = found;
    if (!hooks.renderer || !hooks.scene) return;
    watchRenderer();
    let changed = false;
    const full = look.shown === "full";
    const lit = full || look.shown === "painted";
    if (lit && renderer.toneMapping !== NEUTRAL) look.oldToneMapping ??= renderer.toneMapping;
    const tone = lit ? NEUTRAL : look.oldToneMapping;
    if (tone !== undefined && renderer.toneMapping !== tone) {
      renderer.toneMapping = tone;
      changed = true;
    }
    const sharp = Math.min(8, renderer.capabilities?.getMaxAnisotropy?.() ?? 1);
    model = null;
    scene.traverse((node) => {
      if (node.isDirectionalLight && node !== sun && isFar(node)) model = node;
      if (!node.isMesh) return;
      for (const material of [node.material].flat()) {
        if (material?.color?.getHex?.() === FORCE && material.depthTest) {
          Object.assign(material, { depthTest: false, transparent: true, needsUpdate: true });
          node.renderOrder = 900;
        }
        if (!material?.map) continue;
        // The sky is farther away than all haze.
        if (material.fog && isSky(node)) {
          material.fog = false;
          material.needsUpdate = changed = true;
        }
        if (lit && material.map.anisotropy < sharp) {
          material.map.anisotropy = sharp;
          material.map.needsUpdate = changed = true;
        }
      }
    });
    const had = sun?.visible ?? false;
    if (full && model) shine();
    else if (sun) sun.visible = false;
    if (model) model.visible = !(full && sun);
    changed ||= had !== (sun?.visible ?? false);
    // viser draws on demand, and knows nothing of these changes.
    if (changed && look.camera) renderer.render(scene, look.camera);
  }

  /* Remember the camera, and aim the sun before each frame. */
  function watchRenderer() {
    const { renderer, scene } = found;
    if (look.isWatching) return;
    look.isWatching = true;
    const render = renderer.render.bind(renderer);
    renderer.render = (stage, camera) => {
      if (stage === scene && camera.isPerspectiveCamera) {
        look.camera = camera;
        if (sun?.visible && model) aim(camera);
      }
      render(stage, camera);
    };
  }

  function isSky(node) {
    node.geometry?.boundingSphere ?? node.geometry?.computeBoundingSphere?.();
    return (node.geometry?.boundingSphere?.radius ?? 0) > 200 && node.geometry.index?.count > 100;
  }

  function isFar(node) {
    const where = node.matrixWorld.elements;
    return Math.hypot(where[12], where[13], where[14]) > FAR;
  }

  function shine() {
    if (!sun) makeSun();
    if (!sun) return;
    sun.visible = true;
    sun.color.copy(model.color);
    sun.intensity = model.intensity;
  }

  function makeSun() {
    const { renderer, scene } = found;
    try {
      const most = renderer.capabilities.maxTextureSize;
      const side = /swiftshader|llvmpipe|software/i.test(grouser.renderer ?? "") ? 1024 : Math.min(4096, most);
      sun = new model.constructor(model.color, model.intensity);
      sun.castShadow = true;
      sun.shadow.mapSize.set(side, side);
      sun.shadow.normalBias = 0.008;
      sun.shadow.radius = 2.2;
      Object.assign(sun.shadow.camera,
        { left: -REACH, right: REACH, top: REACH, bottom: -REACH, near: 1, far: 32 });
      scene.add(sun, sun.target);
      hooks.sun = true;
    } catch (error) {
      console.warn("grouser: no shadows", error);
      sun = null;
    }
  }

  /* Put the middle of the shadow map where the camera looks at the ground, in steps of 0.5 m, so
   * that edges of shadows do not crawl. */
  function aim(camera) {
    const vector = (look.vector ??= camera.position.clone());
    const from = (look.from ??= camera.position.clone());
    const where = model.matrixWorld.elements;
    from.set(where[12], where[13], where[14]).normalize();
    camera.getWorldDirection(vector);
    const down = vector.y < -0.05 ? Math.min(-camera.position.y / vector.y, 3.5) : 3.5;
    vector.multiplyScalar(Math.max(down, 0.5)).add(camera.position);
    vector.set(...vector.toArray().map((value) => Math.round(2 * value) / 2));
    sun.target.position.copy(vector);
    sun.position.copy(vector).addScaledVector(from, 16);
  }

  setInterval(polish, LOOK_EVERY_MS);

  // --- how fast it draws --------------------------------------------------------------------------
  // viser draws on demand: only gaps between frames that were drawn one after another count.
  let last = performance.now();
  let number = -1;
  let passed = 0;
  let drawn = 0;
  let wasDrawn = false;

  function count(now) {
    const frame = hooks.renderer ? found.renderer.info.render.frame : number + 1;
    hooks.frames ||= hooks.renderer && frame > 2;
    const isDrawn = frame !== number;
    const gap = now - last;
    if (isDrawn && wasDrawn && gap < IDLE_MS * 4 && !document.hidden) {
      passed += gap;
      drawn += 1;
    }
    [last, number, wasDrawn] = [now, frame, isDrawn];
    if (passed > look.measureMs && drawn > 3) report();
    requestAnimationFrame(count);
  }

  function report() {
    look.frameRate = (1000 * drawn) / passed;
    look.reports += 1;
    passed = drawn = 0;
    if (look.shown) grouser.send?.({ frame_rate: Math.min(look.frameRate, 1000), look: look.shown });
  }
  requestAnimationFrame(count);

  // --- the server's choice, and its sentence -------------------------------------------------------
  const wish = query.get("look");
  const MOST_ASKED = 20;
  let [asked, askedAt] = [0, -Infinity];
  let said = null;
  let hides = 0;

  function onStatus(status) {
    if (!status?.look) return;
    if (look.shown !== status.look.shown) {
      look.shown = status.look.shown;
      document.documentElement.dataset.look = look.shown;
      passed = drawn = 0;
      setTimeout(polish, 50);
    }
    // Asked for until it is heard: a server drops messages that come too fast.
    if (wish && asked < MOST_ASKED && status.you === "drive" && performance.now() > askedAt + 500) {
      [asked, askedAt] = status.look.wish === wish ? [MOST_ASKED] : [asked + 1, performance.now()];
      if (asked < MOST_ASKED) grouser.send?.({ wish });
    }
    const place = document.getElementById("grouser-look");
    if (!place || status.look.sentence === said) return;
    said = status.look.sentence;
    place.textContent = said ?? "";
    place.hidden = !said;
    clearTimeout(hides);
    if (said) hides = setTimeout(() => { place.hidden = true; }, 12000);
  }

  // viser says at length that WebGL runs in software; the page has its own sentence.
  function hideToast() {
    const hide = () => {
      for (const toast of document.querySelectorAll("[class*=Notification-root]"))
        if (/Software WebGL rendering/.test(toast.textContent)) {
          toast.dataset.grouserHidden = "";
          hooks.toast = true;
        }
    };
    new MutationObserver(hide).observe(document.body, { childList: true, subtree: true });
    hide();
  }

  document.addEventListener("DOMContentLoaded", () => {
    const place = document.createElement("div");
    place.id = "grouser-look";
    place.setAttribute("role", "status");
    place.hidden = true;
    (document.getElementById("grouser-top") ?? document.body).append(place);
    setInterval(() => onStatus(window.grouser.status), 250);
    hideToast();
  });
})();
