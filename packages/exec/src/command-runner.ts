import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { CommandPlace, CommandRunner, FunctionRunner } from "@agentflow/engine";
import { type BundleSource, openBundleCache } from "./bundle/lay-out.ts";
import { readFlowText } from "./bundle/flow-text.ts";
import { startGuardian } from "./process/guardian.ts";
import { reapOrphans } from "./process/leftovers.ts";
import { newStepId, thisOwner } from "./process/owner.ts";
import { type CommandTools, runCommand } from "./run-command.ts";
import { openStepDirectories, removeStepDirectories, sweepStepDirectories } from "./step/directories.ts";
import { type EnvironmentSources, sharedEnvironment } from "./step/environment.ts";
import { createPipePool } from "./step/pipes.ts";
import { admitStepUser, findStepUser } from "./step/step-user.ts";
import { parseWrapper } from "./step/wrapper.ts";
import { createWarmFunctions } from "./warm/functions.ts";
import type { WarmLimits } from "./warm/pool.ts";

export type CommandRunnerOptions = {
  /** AGENTFLOW_DATA_DIR, absolute: steps run below `steps`, bundles lie below `bundles`. */
  readonly dataDir: string;
  readonly environment: EnvironmentSources;
  /** AGENTFLOW_SCRIPT_WRAPPER; blank for none (S-20). */
  readonly wrapper: string;
  /** AGENTFLOW_STEP_USER; blank or left out: steps run as the worker's own user (S-20). */
  readonly user?: string;
  readonly loadBundle: BundleSource;
  /** Limits of the pool of warm processes, as far as they are not the usual ones. */
  readonly warm?: Partial<WarmLimits>;
};

/** The usual limits of warm processes: they are few, and a new one costs a few dozen milliseconds. */
const WARM_LIMITS: WarmLimits = {
  maxProcesses: 10,
  maxCalls: 10_000,
  maxRssBytes: 268_435_456,
  idleMs: 60_000,
};

export type WorkerCommandRunner = CommandRunner &
  FunctionRunner & {
    /** What its commands have in common, for agents that start processes of their own. */
    readonly tools: CommandTools;
    /** Pids left over from steps of dead workers, killed at the start. */
    readonly reaped: readonly number[];
    /** Warm processes alive now. */
    readonly warmProcesses: number;
    /** Lets guardian and pipes go. Call it when no command runs any more; one that does is killed. */
    close(): Promise<void>;
  };

/**
 * What a worker runs commands with: cleans up after dead workers, starts the guardian, and gives every step its bundle and fresh
 * folders. Throws sentences for the operator when the settings cannot work.
 */
export async function createCommandRunner({
  dataDir,
  environment,
  wrapper,
  user: userName = "",
  loadBundle,
  warm = {},
}: CommandRunnerOptions): Promise<WorkerCommandRunner> {
  const user = findStepUser(userName);
  const own = sharedEnvironment(environment);
  // The worker's home is closed to another user.
  const shared = user === null ? own : { ...own, HOME: user.home };
  const wrapperWords = parseWrapper(wrapper, shared["PATH"] ?? "");
  const owner = thisOwner();
  await mkdir(join(dataDir, "steps"), { recursive: true, mode: 0o700 });
  const reaped = reapOrphans();
  await sweepStepDirectories(dataDir);
  const bundles = await openBundleCache(join(dataDir, "bundles"), loadBundle);
  admitStepUser(user, [join(dataDir, "steps"), join(dataDir, "bundles")]);
  const pipes = await createPipePool(join(dataDir, "steps", newStepId(owner)), user);
  const guardian = startGuardian(owner);
  const tools = { environment: shared, wrapper: wrapperWords, pipes, guardian, user };
  const functions = createWarmFunctions({ ...WARM_LIMITS, ...warm }, { dataDir, owner, bundles, tools });

  return {
    tools,
    reaped,
    async open(bundleDigest): Promise<CommandPlace> {
      const flowDir = await bundles.open(bundleDigest);
      const directories = openStepDirectories(dataDir, owner, user);
      return {
        flowDir,
        nodeRunDir: directories.cwd,
        nodeTmpDir: directories.tmp,
        outputsDir: directories.outputs,
        readText: (path) => readFlowText(flowDir, path),
        run: (step, signal) => runCommand({ ...step, directories }, signal, tools),
        close: () => removeStepDirectories(directories),
      };
    },
    call: functions.call,
    get warmProcesses() {
      return functions.processes;
    },
    async close() {
      await functions.close();
      await guardian.close();
      await pipes.close();
    },
  };
}
