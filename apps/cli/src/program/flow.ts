import type { Command } from "commander";
import { wholeNumber } from "../run/arguments.ts";

/** `agentflow flow …` */
export function addFlowCommands(program: Command): void {
  const flow = program.command("flow").description("flow folders: lint and register them");
  const dsl = flow.command("dsl").description("the language of workspace.flow.js");
  dsl
    .command("lint <dir>")
    .description(
      "say all that is wrong with a flow folder, or with an IR or operation in a JSON file; needs no server",
    )
    .addHelpText("after", "\nExample:\n  agentflow flow dsl lint examples/import-contacts")
    .action(async (dir, options) => (await import("../commands/flow.ts")).lintCommand(dir, options));
  dsl
    .command("layout <dir>")
    .description("give every node without a place one; those that have one stay")
    .option("--all", "place all nodes anew")
    .addHelpText("after", "\nExample:\n  agentflow flow dsl layout examples/import-contacts")
    .action(async (dir, options) => (await import("../commands/flow-layout.ts")).layoutCommand(dir, options));
  dsl
    .command("print <from>")
    .description("the flow file of an IR: of a JSON file, of stdin (-), or of a flow folder")
    .addHelpText("after", "\nExample:\n  agentflow flow dsl print flow.json > workspace.flow.js")
    .action(async (from, options) => (await import("../commands/flow-print.ts")).printCommand(from, options));
  flow
    .command("push <dir>")
    .description("register a flow folder, or the IR or operation in a JSON file, as a version")
    .option("--name <name>", "name of the flow; left out: the name of the folder or file")
    .addHelpText("after", "\nExample:\n  agentflow flow push ./my-flow --name import-contacts")
    .action(async (dir, options) => (await import("../commands/flow.ts")).pushCommand(dir, options));
  flow
    .command("list")
    .description("show the registered flows")
    .action(async (options) => (await import("../commands/registered.ts")).flowListCommand(options));
  flow
    .command("show <name>")
    .description("show the source of a registered flow; with --json everything known of it")
    .option("--flow-version <n>", "not the newest version but this one", wholeNumber("--flow-version", 1))
    .action(async (name, options) =>
      (await import("../commands/registered.ts")).flowShowCommand(name, options),
    );
  flow
    .command("limits <name>")
    .description("show or say how many runs of a flow may be at work at one time")
    .option("--running <n>", "of all its runs; 0 takes the limit away", wholeNumber("--running", 0))
    .option(
      "--per-key <n>",
      "of its runs with the same concurrency key; 0 takes it away",
      wholeNumber("--per-key", 0),
    )
    .addHelpText("after", "\nExample:\n  agentflow flow limits import-contacts --running 4 --per-key 1")
    .action(async (name, options) =>
      (await import("../commands/registered.ts")).flowLimitsCommand(name, options),
    );
  flow
    .command("archive <name>")
    .description("let no new runs of a flow start; refused while some are live")
    .action(async (name, options) =>
      (await import("../commands/registered.ts")).flowArchiveCommand(name, options),
    );
}

/** `agentflow stats`: what the service is doing. */
export function addStatsCommand(program: Command): void {
  program
    .command("stats")
    .description("show runs by status, queue, workers and what is stuck")
    .action(async (options) => (await import("../commands/registered.ts")).statsCommand(options));
}
