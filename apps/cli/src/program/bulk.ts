import { Argument, type Command } from "commander";
import { collect, wholeNumber } from "../run/arguments.ts";

/** `agentflow bulk …` */
export function addBulkCommands(program: Command): void {
  const bulk = program
    .command("bulk")
    .description("many runs at once: resume, cancel or rerun them, at a pace");
  addStart(bulk);
  bulk
    .command("show <bulk>")
    .description("show how far an action has come")
    .action(async (id, options) => (await import("../commands/bulk.ts")).showBulkCommand(id, options));
  bulk
    .command("list")
    .description("list actions, newest first")
    .option("--limit <n>", "actions on the page", wholeNumber("--limit", 1))
    .option("--cursor <cursor>", "the page after another one")
    .action(async (options) => (await import("../commands/bulk.ts")).listBulkCommand(options));
  bulk
    .command("runs <bulk>")
    .description("show what became of each run")
    .option("--outcome <outcome>", "only runs with this outcome, such as not_waiting")
    .option("--limit <n>", "runs on the page", wholeNumber("--limit", 1))
    .option("--cursor <cursor>", "the page after another one")
    .action(async (id, options) => (await import("../commands/bulk.ts")).bulkRunsCommand(id, options));
  bulk
    .command("abort <bulk>")
    .description("stop an action; what was done stays done")
    .action(async (id, options) => (await import("../commands/bulk.ts")).abortBulkCommand(id, options));
}

function addStart(bulk: Command): void {
  bulk
    .command("start")
    .addArgument(new Argument("<action>", "what to do").choices(["resume", "cancel", "rerun"]))
    .description("begin an action; it goes on without this command")
    .option("--run <run>", "this run; repeatable", collect)
    .option("--status <status>", "runs of this status; repeatable", collect)
    .option("--flow <name>", "runs of this flow")
    .option("--tag <tag>", "runs with this tag")
    .option("--code <code>", "runs that failed with this code")
    .option("--created-after <time>", "runs created after this time")
    .option("--created-before <time>", "runs created before this time")
    .option("--all", "all runs that the action is for")
    .option("--payload <json>", "resume: what the next iteration sees as `resume`: JSON or @file")
    .option("--buffer", "resume: keep it for runs that do not wait yet")
    .option(
      "--flow-version <n>",
      "resume, rerun: with this version of the flow",
      wholeNumber("--flow-version", 1),
    )
    .option("--per-second <n>", "pace; 20 when left out", wholeNumber("--per-second", 1))
    .option("--idempotency-key <key>", "the same key again gives the same action")
    .option("--preview", "only tell how many runs it would be about, and some of them")
    .addHelpText(
      "after",
      `
Examples:
  agentflow bulk start resume --flow import-contacts --payload '{"accept":"skip"}' --preview
  agentflow bulk start rerun --code worker_lost --created-after 2030-01-01T00:00:00Z --per-second 5`,
    )
    .action(async (action, options) =>
      (await import("../commands/bulk.ts")).startBulkCommand(action, options),
    );
}
