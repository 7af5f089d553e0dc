import type { FunctionRunner } from "@agentflow/engine";
import type { BundleCache } from "../bundle/lay-out.ts";
import type { CommandTools } from "../run-command.ts";
import { openStepDirectories, removeStepDirectories } from "../step/directories.ts";
import { WarmPool, type WarmLimits } from "./pool.ts";
import { WarmProcess } from "./process.ts";
import { startChild } from "./start.ts";

export type WarmFunctions = FunctionRunner & {
  /** Processes alive now. */
  readonly processes: number;
  /** Ends them all. */
  close(): Promise<void>;
};

export type WarmPlaces = {
  readonly dataDir: string;
  readonly owner: string;
  readonly bundles: BundleCache;
  readonly tools: CommandTools;
};

/**
 * What a worker calls functions with. Each process has private folders for as long as it lives, below the ones of the steps, so
 * that what a dead worker left behind is swept with them.
 */
export function createWarmFunctions(
  limits: WarmLimits,
  { dataDir, owner, bundles, tools }: WarmPlaces,
): WarmFunctions {
  const pool = new WarmPool(limits, async ({ bundleDigest }, onDead) => {
    const flowDir = await bundles.open(bundleDigest);
    const directories = openStepDirectories(dataDir, owner, tools.user);
    const remove = (): Promise<void> => removeStepDirectories(directories);
    const started = await startChild(flowDir, directories, tools, limits.maxRssBytes);
    if (started.kind === "failed") {
      await remove();
      return started;
    }
    const onGone = (): void => void remove().then(onDead);
    return { kind: "warm", process: new WarmProcess(started, directories, tools, onGone) };
  });
  return {
    get processes() {
      return pool.size;
    },
    call: (home, call, signal) => pool.call(home, call, signal),
    close: () => pool.close(),
  };
}
