import { type Command, Option } from "commander";
import { collect, wholeNumber } from "../run/arguments.ts";

/** `agentflow webhook …` */
export function addWebhookCommands(program: Command): void {
  const webhook = program.command("webhook").description("tell an address when runs park or end");
  webhook
    .command("create <url>")
    .description("register an address; its secret is shown this once")
    .addOption(
      new Option(
        "--event <event>",
        "only this event; repeatable: waiting, succeeded, failed, cancelled",
      ).argParser(collect),
    )
    .option("--flow <name>", "only runs of this flow")
    .action(async (url, options) =>
      (await import("../commands/webhook.ts")).createWebhookCommand(url, options),
    );
  webhook
    .command("list")
    .description("list webhooks, newest first")
    .action(async (options) => (await import("../commands/webhook.ts")).listWebhooksCommand(options));
  webhook
    .command("deliveries <webhook>")
    .description("show what was sent, newest first")
    .option("--limit <n>", "deliveries on the page", wholeNumber("--limit", 1))
    .option("--cursor <cursor>", "the page after another one")
    .action(async (id, options) => (await import("../commands/webhook.ts")).deliveriesCommand(id, options));
  webhook
    .command("redeliver <webhook> <delivery>")
    .description("send a delivery anew under its id, with all its tries")
    .action(async (id, delivery, options) =>
      (await import("../commands/webhook.ts")).redeliverCommand(id, delivery, options),
    );
  webhook
    .command("delete <webhook>")
    .description("remove a webhook with its deliveries")
    .action(async (id, options) =>
      (await import("../commands/webhook.ts")).deleteWebhookCommand(id, options),
    );
}
