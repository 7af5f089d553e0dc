import { fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeBundle, packBundle } from "@agentflow/engine";
import { createCommandRunner } from "@agentflow/exec";
import { median, rounded } from "./figures.mjs";

const ROUNDS = 7;
/** How often a round does each; a Node process is a matter of dozens of milliseconds. */
const TIMES = { shell: 60, node: 8, warm: 2000 };

const SHELL = "printf done";
const FILES = {
  "script.mjs": `process.stdout.write("done");`,
  "function.mjs": `export default ({ inputs }) => ({ n: inputs.n + 1 });`,
  "bare.mjs": `process.on("message", ({ n }) => process.send({ n: n + 1 }));`,
};
const NOTHING = { state: null, iteration: null, idempotencyKey: null, resume: null, context: null };

/** G: a script step against the bare spawning of its command, and a warm function against a bare call in a child that is there. */
export async function measureProcesses(say) {
  const folder = mkdtempSync(join(tmpdir(), "agentflow-bench-exec-"));
  const made = makeBundle(
    Object.entries(FILES).map(([path, text]) => ({ path, bytes: Buffer.from(text), executable: false })),
  );
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text);
  const runner = await createCommandRunner({
    dataDir: join(folder, "data"),
    environment: { base: process.env, listed: {} },
    wrapper: "",
    loadBundle: () => packBundle(made.bundle),
  });
  const child = fork(join(folder, "bare.mjs"), { stdio: "ignore" });
  const { digest } = made.bundle;
  try {
    say("G: script steps against bare spawning");
    const shell = await inTurns(
      TIMES.shell,
      () => step(runner, digest, SHELL),
      () => bare("/bin/sh", ["-c", SHELL]),
    );
    const node = await inTurns(
      TIMES.node,
      () => step(runner, digest, `node ${join(folder, "script.mjs")}`),
      () => bare(process.execPath, [join(folder, "script.mjs")]),
    );
    say("G: warm functions against bare calls");
    const warm = await inTurns(
      TIMES.warm,
      (n) => call(runner, digest, n),
      (n) => bareCall(child, n),
    );
    return {
      "G sh -c": { ratio: shell.ratio, "ours ms": shell.ours, "bare ms": shell.bare },
      "G node": { ratio: node.ratio, "ours ms": node.ours, "bare ms": node.bare },
      "G function": { "ours ms": warm.ours, "bare ms": warm.bare, "over ms": warm.over },
    };
  } finally {
    child.kill();
    await runner.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rounds of the one and the other, first and second by turns; the first round warms up. */
async function inTurns(times, ours, bareOne) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ms = {};
    for (const [name, once] of round % 2 === 0
      ? Object.entries({ ours, bareOne })
      : Object.entries({ bareOne, ours })) {
      const startMs = performance.now();
      for (let n = 0; n < times; n += 1) await once(n);
      ms[name] = (performance.now() - startMs) / times;
    }
    if (round > 0) rounds.push(ms);
  }
  return {
    ours: rounded(median(rounds.map((ms) => ms.ours))),
    bare: rounded(median(rounds.map((ms) => ms.bareOne))),
    ratio: rounded(median(rounds.map((ms) => ms.ours / ms.bareOne))),
    over: rounded(median(rounds.map((ms) => ms.ours - ms.bareOne))),
  };
}

async function step(runner, digest, command) {
  const place = await runner.open(digest);
  const request = { command, env: {}, files: {}, deadlineMs: 60_000, marker: "bench" };
  const outcome = await place.run(request, new AbortController().signal);
  await place.close();
  if (outcome.kind !== "exited" || Buffer.from(outcome.stdout).toString() !== "done")
    throw new Error(`The step ended as ${JSON.stringify(outcome)}.`);
}

function bare(program, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      env: { PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stdout.on("data", (chunk) => (said += chunk));
    child.once("error", reject);
    child.once("close", () => (said === "done" ? resolve() : reject(new Error(`bare: ${said}`))));
  });
}

async function call(runner, digest, n) {
  const home = { flowVersionId: "bench", bundleDigest: digest };
  const given = { file: "function.mjs", inputs: `{"n":${n}}`, maxIterations: null, deadlineMs: 60_000 };
  const outcome = await runner.call(home, { ...NOTHING, ...given }, new AbortController().signal);
  if (outcome.kind !== "returned" || Buffer.from(outcome.stdout).toString() !== `{"n":${n + 1}}`)
    throw new Error(`The function ended as ${JSON.stringify(outcome)}.`);
}

function bareCall(child, n) {
  return new Promise((resolve, reject) => {
    child.once("message", (answer) =>
      answer.n === n + 1 ? resolve() : reject(new Error(`bare: ${JSON.stringify(answer)}`)),
    );
    child.send({ n });
  });
}
