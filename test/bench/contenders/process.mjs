// A contender in a process of its own: it does what its parent asks, one thing at a time.
import { openContender } from "./open.mjs";

let contender = null;

process.on("message", ({ id, method, args }) => {
  answer(method, args).then(
    (result) => process.send({ id, result }),
    (error) => process.send({ id, error: error.stack ?? String(error) }),
  );
});
process.on("disconnect", () => process.exit(1));

async function answer(method, args) {
  if (method === "open") {
    contender = await openContender(...args);
    return { settings: contender.settings, versions: process.versions.node };
  }
  if (method === "close") {
    await contender?.close();
    setImmediate(() => process.exit(0));
    return null;
  }
  if (method === "memory") return process.memoryUsage().rss;
  return contender[method](...args);
}
