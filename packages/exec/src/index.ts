export { createCommandAgent } from "./agents/command-agent.ts";
export { createModelAgent, type ModelAgentOptions } from "./agents/model-agent.ts";
export { type BundleCache, type BundleSource, openBundleCache } from "./bundle/lay-out.ts";
export { createCatalogue } from "./catalogue/catalogue.ts";
export { catalogueProblems } from "./catalogue/read.ts";
export {
  type CommandRunnerOptions,
  createCommandRunner,
  type WorkerCommandRunner,
} from "./command-runner.ts";
export { closeInheritedDescriptors } from "./process/descriptors.ts";
export { type Guardian, startGuardian } from "./process/guardian.ts";
export { reapOrphans } from "./process/leftovers.ts";
export { type CommandTools, runCommand } from "./run-command.ts";
export { openStepDirectories, removeStepDirectories, sweepStepDirectories } from "./step/directories.ts";
