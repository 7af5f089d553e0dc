import type { Command } from "commander";
import { collect, wholeNumber } from "../run/arguments.ts";

/** `agentflow run state`, `history`, `logs`, `events`, `explain`: what a run did and does. */
export function addWatchingCommands(run: Command): void {
  run
    .command("state <run>")
    .description("write the exact state of a loop, now or after an iteration")
    .option("--loop <loop>", "path of the loop, or its node id; left out: the only one")
    .option(
      "--iteration <n>",
      "the state after this iteration; 0 is the initial one",
      wholeNumber("--iteration", 0),
    )
    .option("--epoch <n>", "with --iteration: not the live epoch but this one", wholeNumber("--epoch", 0))
    .action(async (id, options) => (await import("../commands/run-data.ts")).stateCommand(id, options));
  run
    .command("diff <run> <from> <to>")
    .description("show how a loop's states after two iterations differ, as a JSON patch")
    .option("--loop <loop>", "path of the loop, or its node id; left out: the only one")
    .option("--epoch <n>", "not the live epoch but this one", wholeNumber("--epoch", 0))
    .addHelpText("after", "\nExample:\n  agentflow run diff 019… 3 7")
    .action(async (id, from, to, options) => {
      const range = { from: wholeNumber("<from>", 0)(from), to: wholeNumber("<to>", 0)(to) };
      return (await import("../commands/run-data.ts")).diffCommand(id, range, options);
    });
  run
    .command("history <run>")
    .description("show the iterations of a loop")
    .option("--loop <loop>", "path of the loop, or its node id; left out: the only one")
    .option("--epoch <n>", "not the live epoch but this one", wholeNumber("--epoch", 0))
    .action(async (id, options) => (await import("../commands/run-data.ts")).historyCommand(id, options));
  run
    .command("logs <run>")
    .description("show what the commands of a run wrote to stderr")
    .option("--iteration <n>", "only of this iteration", wholeNumber("--iteration", 1))
    .addHelpText("after", "\nExample:\n  agentflow run logs 019… --iteration 3")
    .action(async (id, options) => (await import("../commands/run-watching.ts")).logsCommand(id, options));
  run
    .command("events <run>")
    .description("show the events of a run")
    .option("--follow", "go on as they happen, until the run has ended")
    .option("--after <n>", "only events above this number", wholeNumber("--after", 0))
    .action(async (id, options) => (await import("../commands/run-watching.ts")).eventsCommand(id, options));
  run
    .command("explain <run>")
    .description("say in one sentence why a run is not moving")
    .action(async (id, options) => (await import("../commands/run-watching.ts")).explainCommand(id, options));
}

/** `agentflow run reset`, `rerun`, `delete`: what to do with a run that is over. */
export function addRemovalCommands(run: Command, input: string): void {
  run
    .command("reset <run>")
    .description("start a loop over that failed with checkpoint_corrupt")
    .action(async (id, options) => (await import("../commands/run-removals.ts")).resetCommand(id, options));
  run
    .command("rerun <run>")
    .description("start a new run with the version and inputs of another one")
    .option("--input <id=value>", input, collect)
    .option("--flow-version <n>", "another version of the flow", wholeNumber("--flow-version", 1))
    .option("--idempotency-key <key>", "the same key again gives the same run")
    .option("--wait", "follow the run; exit code 3 when it is parked")
    .addHelpText("after", "\nExample:\n  agentflow run rerun 019… --input batchSize=5 --wait")
    .action(async (id, options) => (await import("../commands/run-removals.ts")).rerunCommand(id, options));
  run
    .command("fork <run>")
    .description("start a new run that goes on from the state after an iteration of another one")
    .requiredOption("--iteration <n>", "the iteration; 0 is the initial state", wholeNumber("--iteration", 0))
    .option("--loop <loop>", "path of the loop, or its node id; left out: the only one")
    .option("--patch <json>", "merge patch (RFC 7396) for the state: JSON or @file")
    .option("--input <id=value>", input, collect)
    .option("--flow-version <n>", "another version of the flow", wholeNumber("--flow-version", 1))
    .option("--max-iterations <n>", "limit in the place of the flow's", wholeNumber("--max-iterations", 0))
    .option("--timeout <duration>", "limit in the place of the flow's, such as 30m")
    .option("--idempotency-key <key>", "the same key again gives the same run")
    .option("--wait", "follow the run; exit code 3 when it is parked")
    .addHelpText(
      "after",
      `\nExample:\n  agentflow run fork 019… --iteration 4 --patch '{"batchSize":5}' --wait`,
    )
    .action(async (id, options) => (await import("../commands/run-fork.ts")).forkCommand(id, options));
  run
    .command("delete <run>")
    .description("delete a run that is not running, with its history, events and logs")
    .action(async (id, options) => (await import("../commands/run-removals.ts")).deleteCommand(id, options));
}
