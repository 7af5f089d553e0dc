import type { Command } from "commander";
import { collect, wholeNumber } from "../run/arguments.ts";
import { addRemovalCommands, addWatchingCommands } from "./run-more.ts";

const INPUT = "value of a provide node: JSON for json nodes, @file for the content of a file; repeatable";

/** `agentflow run …` */
export function addRunCommands(program: Command): void {
  const run = program.command("run").description("runs: start, watch, resume and cancel them");
  addStart(run);
  addResume(run);
  run
    .command("show <run>")
    .description("show a run")
    .action(async (id, options) => (await import("../commands/run.ts")).showCommand(id, options));
  run
    .command("list")
    .description("list runs, newest first")
    .option("--status <status>", "only runs of this status; repeatable", collect)
    .option("--flow <name>", "only runs of this flow")
    .option("--tag <tag>", "only runs with this tag")
    .option("--code <code>", "only runs that failed with this code")
    .option("--limit <n>", "runs on the page", wholeNumber("--limit", 1))
    .option("--cursor <cursor>", "the page after another one")
    .addHelpText("after", "\nExample:\n  agentflow run list --status waiting --flow import-contacts")
    .action(async (options) => (await import("../commands/run.ts")).listCommand(options));
  run
    .command("watch <run>")
    .description("follow a run until it has ended or is parked")
    .action(async (id, options) => (await import("../commands/run.ts")).watchCommand(id, options));
  run
    .command("cancel <run>")
    .description("cancel a run")
    .action(async (id, options) => (await import("../commands/run.ts")).cancelCommand(id, options));
  addWatchingCommands(run);
  addRemovalCommands(run, INPUT);
}

function addStart(run: Command): void {
  run
    .command("start <flow>")
    .description("start a run of a registered flow")
    .option("--input <id=value>", INPUT, collect)
    .option("--tag <tag>", "a word to find the run by; repeatable", collect)
    .option(
      "--flow-version <n>",
      "version of the flow; left out: the newest",
      wholeNumber("--flow-version", 1),
    )
    .option("--priority <n>", "wait for a limit as if so many seconds later", wholeNumber("--priority", 0))
    .option("--concurrency-key <key>", "runs of the flow with the same key share its limit per key")
    .option("--idempotency-key <key>", "the same key again gives the same run")
    .option("--wait", "follow the run; exit code 3 when it is parked")
    .addHelpText(
      "after",
      `
Examples:
  agentflow run start import-contacts --input batchSize=20 --wait
  agentflow run start report --input settings='{"lang":"en"}' --input text=@notes.md --tag nightly`,
    )
    .action(async (flow, options) => (await import("../commands/run.ts")).startCommand(flow, options));
}

function addResume(run: Command): void {
  run
    .command("resume <run>")
    .description("resume a parked run")
    .option("--payload <json>", "what the next iteration sees as `resume`: JSON or @file")
    .option("--input <id=value>", INPUT, collect)
    .option("--flow-version <n>", "go on with this version of the flow", wholeNumber("--flow-version", 1))
    .option(
      "--next-iteration <n>",
      "only if the run stands at this iteration",
      wholeNumber("--next-iteration", 1),
    )
    .option("--buffer", "keep the resume for the next wait when the run does not wait yet")
    .option(
      "--until <time>",
      "resume at this time, such as 2030-01-31T08:00:00Z, unless it is resumed before",
    )
    .option("--withdraw", "take back the resume that is kept")
    .option("--idempotency-key <key>", "the same key again resumes only once")
    .option("--wait", "follow the run; exit code 3 when it is parked again")
    .addHelpText("after", `\nExample:\n  agentflow run resume 019… --payload '{"accept":"skip"}' --wait`)
    .action(async (id, options) => (await import("../commands/run.ts")).resumeCommand(id, options));
}
