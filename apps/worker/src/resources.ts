import type { AgentRunner, Resources } from "@agentflow/engine";
import { catalogueProblems, createCatalogue, createCommandAgent, createModelAgent } from "@agentflow/exec";
import type { WorkerCommandRunner } from "@agentflow/exec";
import { scriptEnvironment } from "@agentflow/host";
import type { Config } from "@agentflow/host";

/** The operator's catalogue cannot be used; the message lists everything that is wrong with it (S-28). */
export class CatalogueRefused extends Error {
  override readonly name = "CatalogueRefused";
}

/** Opens what the operator lends to flows: catalogue, agents, secrets. Throws `CatalogueRefused`. */
export async function openResources(
  config: Config<"worker">,
  runner: Pick<WorkerCommandRunner, "tools">,
): Promise<Resources> {
  const { catalogue: path, secretKey = null } = config;
  const problems = path === undefined ? [] : await catalogueProblems(path);
  if (problems.length > 0) throw new CatalogueRefused(problems.join("\n"));
  const secrets = secretValues(config.secrets);
  return {
    catalogue: path === undefined ? null : createCatalogue(path),
    secretKey,
    agents: agentsOf(config, runner),
    secret: (name) => secrets.get(name) ?? null,
  };
}

/** Values of the secrets an operator lists, as far as the environment has them. */
export function secretValues(names: readonly string[]): ReadonlyMap<string, string> {
  const found = scriptEnvironment(names);
  return new Map(names.flatMap((name) => (found[name] === undefined ? [] : [[name, found[name]] as const])));
}

function agentsOf(
  config: Config<"worker">,
  { tools }: Pick<WorkerCommandRunner, "tools">,
): AgentRunner | null {
  const { agentRunner, agentBaseUrl, agentModel, agentApiKey, agentCommand } = config;
  if (agentRunner === "command" && agentCommand !== undefined) return createCommandAgent(agentCommand);
  if (agentRunner !== "openai" || agentBaseUrl === undefined || agentModel === undefined) return null;
  return createModelAgent({
    baseUrl: agentBaseUrl,
    model: agentModel,
    apiKey: agentApiKey ?? null,
    tools,
    variable: (name) => scriptEnvironment([name])[name],
  });
}
