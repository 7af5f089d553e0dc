import { Option, type Command } from "commander";

const DATA = "data folder of the private database, where DATABASE_URL is not set";

/** `agentflow keys …` */
export function addKeyCommands(program: Command): void {
  const keys = program.command("keys").description("API keys: as soon as there is one, every call needs one");
  keys
    .command("create")
    .description("make a key and show it, this once")
    .addOption(
      new Option("--scope <scope>", "read looks; run also starts, resumes and cancels runs; admin everything")
        .choices(["read", "run", "admin"])
        .makeOptionMandatory(),
    )
    .option("--name <name>", "what the key is called in lists and audit rows")
    .option("--data <dir>", DATA)
    .addHelpText("after", "\nExample:\n  agentflow keys create --scope run --name ci")
    .action(async (options) => (await import("../commands/keys.ts")).createKeyCommand(options));
  keys
    .command("list")
    .description("list keys, never their text")
    .option("--data <dir>", DATA)
    .action(async (options) => (await import("../commands/keys.ts")).listKeysCommand(options));
  keys
    .command("revoke <key>")
    .description("revoke a key by its id or name")
    .option("--data <dir>", DATA)
    .action(async (key, options) => (await import("../commands/keys.ts")).revokeKeyCommand(key, options));
}
