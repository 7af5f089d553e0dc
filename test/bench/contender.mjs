import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("./contenders/process.mjs", import.meta.url));

/** Starts a contender in a process of its own. `call` asks it for something; rejects when it fails or dies. */
export async function startContender(name, place, { execArgv = [] } = {}) {
  const child = fork(PROGRAM, [], { execArgv, stdio: ["ignore", 2, 2, "ipc"] });
  const waiting = new Map();
  let asked = 0;
  child.on("message", ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(`${name}: ${error}`));
  });
  child.on("exit", (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} died (${signal ?? code})`));
    waiting.clear();
  });
  const call = (method, ...args) =>
    new Promise((resolve, reject) => {
      const id = asked++;
      waiting.set(id, { resolve, reject });
      child.send({ id, method, args });
    });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const { settings } = await call("open", name, { ...place, name });
  return {
    name,
    settings,
    pid: child.pid,
    call,
    close: async () => {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      await Promise.race([
        call("close").catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, 10_000)),
      ]);
      const timer = setTimeout(kill, 3000);
      await gone;
      clearTimeout(timer);
    },
  };
}
