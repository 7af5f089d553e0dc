import { type Command, Option } from "commander";
import { collect, wholeNumber } from "../run/arguments.ts";

/** `agentflow schedule …` */
export function addScheduleCommands(program: Command): void {
  const schedule = program.command("schedule").description("start runs by the clock");
  addPlan(
    schedule
      .command("create <flow> <cron>")
      .description("start runs of a flow by a cron pattern of five fields")
      .addHelpText(
        "after",
        `
Examples:
  agentflow schedule create import-contacts "30 6 * * 1-5" --time-zone Europe/Berlin --input batchSize=20
  agentflow schedule create tidy "*/15 * * * *" --overlap queue --catch-up none --jitter-ms 30000`,
      ),
  ).action(async (flow, cron, options) =>
    (await import("../commands/schedule.ts")).createScheduleCommand(flow, cron, options),
  );
  addPlan(
    schedule
      .command("replace <schedule> <flow> <cron>")
      .description("replace everything a schedule says; what is left out is as for a new one"),
  ).action(async (id, flow, cron, options) =>
    (await import("../commands/schedule.ts")).replaceScheduleCommand(id, flow, cron, options),
  );
  schedule
    .command("list")
    .description("list schedules, newest first")
    .option("--limit <n>", "schedules on the page", wholeNumber("--limit", 1))
    .option("--cursor <cursor>", "the page after another one")
    .action(async (options) => (await import("../commands/schedule.ts")).listSchedulesCommand(options));
  for (const [act, description] of [
    ["show", "show a schedule, its next ticks and what became of the latest one"],
    ["pause", "start no more runs until it is resumed"],
    ["resume", "go on with the next tick; those of the pause are not made up for"],
    ["delete", "remove a schedule; the runs it started stay"],
  ] as const)
    schedule
      .command(`${act} <schedule>`)
      .description(description)
      .action(async (id, options) =>
        (await import("../commands/schedule.ts")).scheduleCommand(act, id, options),
      );
}

function addPlan(command: Command): Command {
  return command
    .option("--input <id=value>", "an input of the runs: id=value or id=@file; repeatable", collect)
    .option(
      "--flow-version <n>",
      "this version; the newest at each tick when left out",
      wholeNumber("--flow-version", 1),
    )
    .option("--tag <tag>", "a tag of the runs; repeatable", collect)
    .option("--priority <n>", "priority of the runs", wholeNumber("--priority", 0))
    .option("--concurrency-key <key>", "concurrency key of the runs")
    .option("--time-zone <name>", "time zone of the pattern; UTC when left out")
    .addOption(
      new Option(
        "--overlap <policy>",
        "while the run of an earlier tick lives: skip (default), queue or allow",
      ).choices(["skip", "queue", "allow"]),
    )
    .addOption(
      new Option("--catch-up <policy>", "of missed ticks start none, one (default) or all").choices([
        ...["none", "one", "all"],
      ]),
    )
    .option(
      "--jitter-ms <ms>",
      "start up to this much later, each tick by an amount of its own",
      wholeNumber("--jitter-ms", 0),
    )
    .option("--paused", "make it paused");
}
