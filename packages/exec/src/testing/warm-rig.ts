import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FunctionCall, type FunctionOutcome, makeBundle, packBundle } from "@agentflow/engine";
import { createCommandRunner, type WorkerCommandRunner } from "../command-runner.ts";
import { removeTree } from "../remove-tree.ts";
import type { WarmLimits } from "../warm/pool.ts";

type CallOptions = Partial<FunctionCall> & {
  readonly signal?: AbortSignal;
  /** Flow version that calls; `one` unless given. */
  readonly version?: string;
};

/** A worker's runner in a folder of its own, with a bundle of JavaScript modules to call. */
export type WarmRig = {
  readonly runner: WorkerCommandRunner;
  readonly dataDir: string;
  call(file: string, options?: CallOptions): Promise<FunctionOutcome>;
  close(): Promise<void>;
};

const NOTHING: Omit<FunctionCall, "file"> = {
  inputs: "{}",
  state: null,
  iteration: null,
  idempotencyKey: null,
  resume: null,
  context: null,
  maxIterations: null,
  deadlineMs: null,
};

/** `modules`: path inside the bundle → source text. */
export async function openWarmRig(
  modules: Readonly<Record<string, string>>,
  warm: Partial<WarmLimits> = {},
  wrapper = "",
): Promise<WarmRig> {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), "agentflow-warm-")));
  const made = makeBundle(
    Object.entries(modules).map(([path, text]) => ({ path, bytes: Buffer.from(text), executable: false })),
  );
  if (!made.ok) throw new Error(made.problem.message);
  const { bundle } = made;
  const runner = await createCommandRunner({
    dataDir,
    environment: { base: process.env, listed: { LISTED: "yes" } },
    wrapper,
    loadBundle: () => packBundle(bundle),
    warm,
  });
  return {
    runner,
    dataDir,
    call: (file, { signal = new AbortController().signal, version = "one", ...rest } = {}) =>
      runner.call(
        { flowVersionId: version, bundleDigest: bundle.digest },
        { ...NOTHING, file, ...rest },
        signal,
      ),
    async close() {
      await runner.close();
      await removeTree(dataDir);
    },
  };
}

/** The result of a call that returned; else the outcome, as text to compare. */
export function resultOf(outcome: FunctionOutcome): string {
  if (outcome.kind !== "returned") return `${outcome.kind}: ${JSON.stringify(outcome)}`;
  return Buffer.from(outcome.stdout).toString();
}
