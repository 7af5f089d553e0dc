import { Command, Option } from "commander";
import { VERSION } from "./version.ts";
import { addWebhookCommands } from "./program/webhook.ts";
import { addBulkCommands } from "./program/bulk.ts";
import { addFlowCommands, addStatsCommand } from "./program/flow.ts";
import { addKeyCommands } from "./program/keys.ts";
import { addRunCommands } from "./program/run.ts";
import { addScheduleCommands } from "./program/schedule.ts";
import { addServiceCommands } from "./program/service.ts";

/** The command line `agentflow` (F-29): what is written wrongly ends with exit code 2 before anything is done. */
export function createProgram(): Command {
  const program = new Command("agentflow")
    .description("Durable While loops: flows, runs, and the service that executes them.")
    .version(VERSION)
    .configureHelp({ showGlobalOptions: false })
    .showHelpAfterError("(agentflow --help, or --help after the command, shows what there is)")
    .exitOverride()
    .addHelpText(
      "after",
      `
Examples:
  agentflow dev                                     everything on this machine, on private servers
  agentflow flow dsl lint examples/import-contacts  what is wrong with a flow
  agentflow flow push examples/import-contacts      register it
  agentflow run start import-contacts --wait        start a run and follow it

AGENTFLOW_URL and AGENTFLOW_API_KEY name the server and the key of \`flow\`, \`run\` and \`stats\`.
Exit codes: 0 fine, 1 findings or a failed run, 2 wrong usage, 3 the run is parked.`,
    );
  addFlowCommands(program);
  addRunCommands(program);
  addBulkCommands(program);
  addScheduleCommands(program);
  addWebhookCommands(program);
  addStatsCommand(program);
  addKeyCommands(program);
  addServiceCommands(program);
  inherit(program);
  return program;
}

/** Services have logs, no data. */
const WITHOUT_DATA = new Set(["api", "worker"]);

/** Every command reports wrong usage to us instead of ending the process, and takes --json. */
function inherit(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    const hasData = child.commands.length === 0 && !WITHOUT_DATA.has(child.name());
    if (hasData) child.addOption(new Option("--json", "data as JSON on stdout"));
    inherit(child);
  }
}
