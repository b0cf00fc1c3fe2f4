// Reads a running server by Foxglove's own client library, drives it, and prints what came.
//
//   node tests/plugs/foxglove/client.mjs out/foxglove-client ws://127.0.0.1:8765 [SECONDS]
//
// `python -m tests.plugs.foxglove` installs the library into that folder and starts both.
// The library names an older subprotocol than servers of today's SDK accept: the socket offers
// theirs, and the messages are the same. It ends with 1 if a topic that must be there is silent.
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, address, seconds = "3"] = process.argv.slice(2);
const load = createRequire(resolve(folder, "node_modules", "x.js"));
const { FoxgloveClient } = load("@foxglove/ws-protocol");
const { WebSocket } = load("ws");

const client = new FoxgloveClient({ ws: new WebSocket(address, ["foxglove.sdk.v1"]) });
const topics = new Map(); // by subscription: topic, schema, count, bytes
const answers = [];
let services = [], first, last;

client.on("error", (error) => fail(`error: ${error.message}`));
client.on("serverInfo", (info) => {
  console.log(`server ${info.name}, capabilities ${info.capabilities.join(", ")}`);
});
client.on("status", (status) => console.log(`status: ${status.message}`));
client.on("advertise", (channels) => {
  for (const { id, topic, encoding, schemaName, schema } of channels) {
    const key = client.subscribe(id);
    topics.set(key, { topic, encoding, schemaName, schema: schema.length, count: 0, bytes: 0 });
  }
});
client.on("advertiseServices", (found) => (services = found));
client.on("message", ({ subscriptionId, data }) => {
  const entry = topics.get(subscriptionId);
  entry.count += 1;
  entry.bytes += data.byteLength;
  if (entry.topic === "/state") {
    last = JSON.parse(new TextDecoder().decode(data));
    first ??= last;
  }
});
client.on("parameterValues", ({ parameters }) =>
  answers.push(`parameters: ${parameters.map((p) => `${p.name}=${p.value}`).join(", ")}`),
);
client.on("serviceCallResponse", ({ data }) =>
  answers.push(`service: ${new TextDecoder().decode(data)}`),
);
client.on("open", () => {
  const json = (value) => new TextEncoder().encode(JSON.stringify(value));
  client.getParameters([], "all");
  const channel = client.advertise({
    topic: "/cmd_vel",
    encoding: "json",
    schemaName: "geometry_msgs/Twist",
  });
  const twist = { linear: { x: 0.2, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } };
  const driving = setInterval(() => client.sendMessage(channel, json(twist)), 50);
  setTimeout(() => {
    const friction = services.find((service) => service.name === "/set_friction");
    const data = new DataView(json({ factor: 0.5 }).buffer);
    client.sendServiceCallRequest({ serviceId: friction.id, callId: 1, encoding: "json", data });
  }, 500);
  setTimeout(() => {
    clearInterval(driving);
    finish();
  }, 1000 * Number(seconds));
});

function finish() {
  for (const { topic, encoding, schemaName, schema, count, bytes } of topics.values()) {
    console.log(
      `${topic.padEnd(24)} ${schemaName.padEnd(28)} ${encoding.padEnd(8)} schema ${String(schema).padStart(6)} B` +
        `  ${String(count).padStart(6)} messages ${String(bytes).padStart(9)} B`,
    );
  }
  for (const answer of answers) console.log(answer);
  const moved = first && Math.hypot(last.pose.x - first.pose.x, last.pose.y - first.pose.y);
  console.log(`driven ${moved?.toFixed(3)} m in ${(last?.time - first?.time).toFixed(2)} s`);
  const silent = ["/tf", "/tf_static", "/course", "/robot", "/state", "/diagnostics"].filter(
    (name) => ![...topics.values()].some(({ topic, count }) => topic === name && count > 0),
  );
  if (silent.length) fail(`silent: ${silent.join(", ")}`);
  if (!(moved > 0.01)) fail("the robot did not move");
  client.close();
  process.exit(0);
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
