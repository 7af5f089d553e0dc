import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as restate from "@restatedev/restate-sdk";
import * as clients from "@restatedev/restate-sdk-clients";
import { checkState, firstState, nextState, STATE_BYTES } from "./step.mjs";

// Restate's SDK was written for Node 22.
Promise.withResolvers ??= () => {
  let resolve;
  let reject;
  const promise = new Promise((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
};

/**
 * Restate with its own server and store: `restate` runs a loop as one invocation with a durable step per iteration,
 * `restate-calls` as one invocation per iteration, which is the shape of a job per iteration.
 */
export async function open({ name }) {
  const dir = mkdtempSync(join(tmpdir(), "restate-"));
  const [ingress, admin, fabric, service] = await Promise.all([1, 2, 3, 4].map(freePort));
  const server = await startServer(dir, { ingress, admin, fabric });
  const waiting = new Map();
  const invocation = restate.service({
    name: "loop",
    handlers: {
      run: async (ctx, { iterations }) => {
        let state = firstState(STATE_BYTES);
        for (let i = 0; i < iterations; i++) {
          const before = state;
          state = await ctx.run("step", async () => nextState(before));
        }
        return state;
      },
    },
  });
  const calls = restate.object({
    name: "turns",
    handlers: {
      turn: async (ctx, { iterations, state: before }) => {
        const state = await ctx.run("step", async () => nextState(before));
        if (state.n < iterations)
          ctx.objectSendClient({ name: "turns" }, ctx.key).turn({ iterations, state });
        else waiting.get(ctx.key)?.(state);
      },
    },
  });
  await restate.serve({ services: [invocation, calls], port: service, logger: () => {} });
  await register(admin, service);
  const client = clients.connect({ url: `http://127.0.0.1:${ingress}` });
  let ended = [];
  let count = 0;

  const inOne = (iterations) => client.serviceClient({ name: "loop" }).run({ iterations });
  const inMany = async (iterations) => {
    const key = `loop-${count++}`;
    const end = new Promise((resolve) => waiting.set(key, resolve));
    await client
      .objectSendClient({ name: "turns" }, key)
      .turn({ iterations, state: firstState(STATE_BYTES) });
    const state = await end;
    waiting.delete(key);
    return state;
  };
  const loop = async (iterations) => {
    const state = await (name === "restate" ? inOne : inMany)(iterations);
    ended.push({ iterations, state });
  };
  return {
    settings: { server: "default profile, one node", store: "its own" },
    loops: (n, iterations) => Promise.all(Array.from({ length: n }, () => loop(iterations))),
    verify: async () => {
      for (const { iterations, state } of ended.splice(0)) checkState(state, iterations, STATE_BYTES);
    },
    close: async () => {
      const gone = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGTERM");
      await gone;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function startServer(dir, { ingress, admin, fabric }) {
  const wrapper = createRequire(import.meta.url).resolve("@restatedev/restate-server/package.json");
  const binary = createRequire(wrapper).resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
  const args = ["--no-logo", "--base-dir", dir, "--node-name", "bench", "--listen-mode", "tcp"];
  const env = {
    PATH: "/usr/bin:/bin",
    RESTATE_LOG_FILTER: "error",
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_BIND_PORT: String(fabric),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
    RESTATE_ADMIN__BIND_PORT: String(admin),
    DO_NOT_TRACK: "1",
  };
  const server = spawn(binary, args, { cwd: dir, env, stdio: ["ignore", "ignore", "inherit"] });
  server.once("error", () => {});
  process.once("exit", () => server.kill("SIGKILL"));
  await until(`http://127.0.0.1:${ingress}/restate/health`);
  await until(`http://127.0.0.1:${admin}/health`);
  return server;
}

async function register(admin, service) {
  const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: `http://127.0.0.1:${service}` }),
  });
  if (!answer.ok) throw new Error(`Restate refuses the services: ${await answer.text()}`);
}

async function until(url) {
  const endMs = performance.now() + 60_000;
  while (performance.now() < endMs) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} did not answer in a minute`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
