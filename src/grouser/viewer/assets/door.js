/* The door of the page: it talks to the server that it came from, and to no other.
 *
 * This script runs before viser's, which would let an address, or a person, name another server,
 * and knows no tokens. The server refuses such addresses, and the page's policy such connections.
 */
(() => {
  "use strict";
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const token = new URLSearchParams(location.search).get("token");

  /** Open a web socket of this page's server. */
  const addressOf = (path) =>
    `${scheme}//${location.host}/${path}${token ? `?token=${encodeURIComponent(token)}` : ""}`;
  window.grouser = { addressOf };

  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    const isChoice = message?.type === "set_server";
    post.call(this, isChoice ? { ...message, server: addressOf("") } : message, ...rest);
  };

  // viser would take what stands behind "#" for a part of its server's address.
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);

  // viser's sorter of splats makes functions of texts, which the policy forbids; there are none here.
  const load = window.fetch;
  window.fetch = (what, ...rest) =>
    String(what).startsWith("data:application/wasm") ? new Promise(() => {}) : load(what, ...rest);
})();
