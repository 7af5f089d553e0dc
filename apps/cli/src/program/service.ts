import { Option, type Command } from "commander";
import { wholeNumber } from "../run/arguments.ts";

/** `agentflow dev`, `demo`, `api`, `worker`, `migrate`, `doctor` */
export function addServiceCommands(program: Command): void {
  addLocalOptions(program.command("dev"))
    .description("run API and workers on this machine, with private servers for what is not configured")
    .addHelpText(
      "after",
      `
Examples:
  agentflow dev --workers 2
  agentflow dev --queue redis --data ./data --port 4800 --json`,
    )
    .action(async (options) => (await import("../commands/dev.ts")).devCommand(options));
  addLocalOptions(program.command("demo"))
    .description("dev with the examples registered and the main one at work: what `npm start` does")
    .option("--exit", "resume the example as a person would, show its end, stop and exit")
    .action(async (options) => (await import("../commands/demo.ts")).demoCommand(options));
  program
    .command("api")
    .description("serve the HTTP API, configured by the environment (see .env.example)")
    .action(async () => (await import("../commands/service.ts")).apiCommand());
  program
    .command("worker")
    .description("execute runs, configured by the environment (see .env.example)")
    .action(async () => (await import("../commands/service.ts")).workerCommand());
  program
    .command("migrate")
    .description("bring the database to the schema of this release")
    .action(async (options) => (await import("../commands/service.ts")).migrateCommand(options));
  program
    .command("doctor")
    .description("say what is wrong with this installation")
    .action(async (options) => (await import("../commands/doctor.ts")).doctorCommand(options));
}

function addLocalOptions(command: Command): Command {
  return command
    .option("--port <n>", "port of the API; when it is busy, the next free one")
    .option("--data <dir>", "data folder of the private servers and the workers")
    .addOption(new Option("--queue <queue>", "where the queue is").choices(["postgres", "redis"]))
    .option("--workers <n>", "number of workers", wholeNumber("--workers", 1));
}
