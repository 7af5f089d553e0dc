import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { CommandOutcome, CommandPlace } from "@agentflow/engine";
import { makeBundle, highestBundleLimits, packBundle } from "@agentflow/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCommandRunner, type WorkerCommandRunner } from "./command-runner.ts";
import { removeTree } from "./remove-tree.ts";
import { resultOf } from "./testing/warm-rig.ts";
import { running, textOf, uniqueSleep, until } from "./testing/step-rig.ts";

/** Only root may become another user, and only with a Node that the user can reach; elsewhere the unit tests prove the refusal. */
const reaches = (folder: string): boolean =>
  process.getuid?.() === 0 &&
  spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], { cwd: "/", uid: 65_534, gid: 65_534 }).status === 0;
const isRoot = reaches(dirname(process.execPath));

let dataDir: string;
let digest: string;
let archive: Uint8Array;
let runner: WorkerCommandRunner;

async function open(user: string): Promise<WorkerCommandRunner> {
  return createCommandRunner({
    dataDir,
    user,
    wrapper: "",
    environment: { base: { PATH: process.env["PATH"], HOME: "/root" }, listed: {} },
    loadBundle: async () => archive,
  });
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "agentflow-step-user-"));
  // As an operator makes it: others may pass through.
  chmodSync(dataDir, 0o711);
  const made = makeBundle(
    [
      { path: "tool.sh", bytes: Buffer.from("#!/bin/sh\nid -un\n"), executable: true },
      {
        path: "f.mjs",
        bytes: Buffer.from("export default () => ({ uid: process.getuid() });\n"),
        executable: false,
      },
    ],
    highestBundleLimits,
  );
  if (!made.ok) throw new Error(made.problem.message);
  ({ digest } = made.bundle);
  archive = await packBundle(made.bundle);
  if (isRoot) runner = await open("nobody");
});

afterAll(async () => {
  await runner?.close();
  await removeTree(dataDir);
});

type Step = Partial<Parameters<CommandPlace["run"]>[0]> & { readonly signal?: AbortSignal };

async function run(
  command: string,
  { signal = new AbortController().signal, ...rest }: Step = {},
): Promise<CommandOutcome> {
  const place = await runner.open(digest);
  try {
    const text = command.replaceAll("$FLOW", place.flowDir);
    return await place.run(
      { env: {}, files: {}, deadlineMs: 20_000, marker: "run_1", ...rest, command: text },
      signal,
    );
  } finally {
    await place.close();
    expect(existsSync(dirname(place.nodeRunDir))).toBe(false);
  }
}

describe.runIf(isRoot)("steps as another user", () => {
  test("S-20, D6: a step cannot read the environment of its worker, nor its memory or files", async () => {
    const secret = join(dataDir, "secret");
    writeFileSync(secret, "canary", { mode: 0o600 });
    for (const path of [
      `/proc/${process.pid}/environ`,
      `/proc/${process.pid}/fd`,
      `/proc/${process.pid}/maps`,
      secret,
    ]) {
      const outcome = await run(
        `test "$PPID" = ${process.pid} || echo other parent; head -c 100 ${path} || ls ${path}/`,
      );
      expect(outcome, path).toMatchObject({
        kind: "exited",
        stderr: expect.stringContaining("Permission denied"),
      });
      expect(textOf(outcome)).toBe("");
    }
  });

  test("F-22, F-24, L-23: it reads its bundle, its inputs and its stdin, and writes to its own folders and streams", async () => {
    const outcome = await run(
      'id -un; id -G; sh $FLOW/tool.sh; $FLOW/tool.sh; cat "$VALUE_FILE"; cat; echo x > here; echo y > "$TMPDIR/there"; echo "$HOME"; echo z > /dev/stderr',
      { files: { VALUE: { fileName: "value", text: "value\n", alsoEnv: false } }, stdin: "stdin\n" },
    );
    expect(outcome).toMatchObject({ kind: "exited", exitCode: 0, stderr: "z\n" });
    const home = readFileSync("/etc/passwd", "utf8").match(/^nobody:[^\n]*:([^:\n]*):[^:\n]*$/m)?.[1];
    expect(textOf(outcome)).toBe(`nobody\n65534\nnobody\nnobody\nvalue\nstdin\n${home}\n`);
  });

  test("F-2, S-20: it can change neither its bundle nor what other steps and bundles there are, nor list them", async () => {
    const outcome = await run(
      `echo x >> $FLOW/tool.sh; ls ${dataDir}/steps; ls ${dataDir}/bundles; rm -rf $FLOW; test -x $FLOW/tool.sh && echo still`,
    );
    expect(textOf(outcome)).toBe("still\n");
  });

  test("L-29, D1: it is killed with all it started, at its deadline and when it is stopped", async () => {
    const [first, second] = [uniqueSleep(), uniqueSleep()];
    const outcome = await run(`setsid ${first} & ${second}`, { deadlineMs: 300 });
    expect(outcome.kind).toBe("timed_out");
    expect([...(await running(first)), ...(await running(second))]).toEqual([]);
    const controller = new AbortController();
    const third = uniqueSleep();
    const aborted = run(`trap '' TERM; ${third}`, { signal: controller.signal });
    await until("the step sleeps", async () => (await running(third)).length > 0);
    controller.abort({ killGraceMs: 50 });
    expect((await aborted).kind).toBe("aborted");
    expect(await running(third)).toEqual([]);
  });

  test("S-20: folders of a step are closed to others, and those of all steps and bundles to looking around", async () => {
    const place = await runner.open(digest);
    const root = dirname(place.nodeRunDir);
    expect(readdirSync(join(dataDir, "steps"))).toContain(basename(root));
    for (const folder of [root, place.nodeRunDir, place.nodeTmpDir]) {
      const { uid, mode } = statSync(folder);
      expect([uid, mode & 0o777]).toEqual([65_534, 0o700]);
    }
    for (const name of ["steps", "bundles"]) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o711);
    await place.close();
  });

  test("F-24, S-20: functions run in processes of the user too", async () => {
    const none = {
      inputs: "{}",
      state: null,
      iteration: null,
      idempotencyKey: null,
      resume: null,
      context: null,
    };
    const outcome = await runner.call(
      { flowVersionId: "one", bundleDigest: digest },
      { ...none, file: "f.mjs", maxIterations: null, deadlineMs: 20_000 },
      new AbortController().signal,
    );
    // The installation itself may lie where only root gets in; then it says so.
    if (reaches(import.meta.dirname)) expect(resultOf(outcome)).toBe('{"uid":65534}');
    else
      expect(outcome).toMatchObject({
        kind: "died",
        stderr: expect.stringMatching(/EACCES|Cannot find module/),
      });
  });

  test("S-20: a data folder that the user cannot enter is refused at the start, with the way out", async () => {
    chmodSync(dataDir, 0o700);
    await expect(open("nobody")).rejects.toThrow(/AGENTFLOW_STEP_USER: nobody cannot enter .*chmod o\+x/);
    chmodSync(dataDir, 0o711);
  });
});

test("S-20: without the setting steps run as the worker itself", async () => {
  const own = await open("");
  const place = await own.open(digest);
  const step = { env: {}, files: {}, deadlineMs: 20_000, marker: "run_1", command: "id -u" };
  expect(textOf(await place.run(step, new AbortController().signal))).toBe(`${process.getuid?.()}\n`);
  await place.close();
  await own.close();
});
