import type { CommandPlace, CommandStep } from "@agentflow/engine";

/** A place for agents that start nothing; a command run in it is an error unless `run` is given. */
export function idlePlace(run?: (step: CommandStep) => ReturnType<CommandPlace["run"]>): CommandPlace {
  return {
    flowDir: "/flow",
    nodeRunDir: "/steps/one/cwd",
    nodeTmpDir: "/steps/one/cwd/tmp",
    outputsDir: "/steps/one/cwd/outputs",
    readText: async () => null,
    run: run ?? (() => Promise.reject(new Error("no command was expected"))),
    close: async () => {},
  };
}
