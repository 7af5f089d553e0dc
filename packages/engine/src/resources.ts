import type { AgentRunner } from "./ports/agent.ts";
import type { ContextSource } from "./ports/context.ts";

/** What an operator lends to steps; each part may be missing, and a step that needs it then says how to configure it. */
export type Resources = {
  /** The catalogue that contexts are resolved from (AGENTFLOW_CATALOGUE). */
  readonly catalogue: ContextSource | null;
  /** 32 bytes under which resolved contexts are kept (AGENTFLOW_SECRET_KEY). */
  readonly secretKey: Uint8Array | null;
  /** Does the prompts of `agent.subAgent` (AGENTFLOW_AGENT_RUNNER). */
  readonly agents: AgentRunner | null;
  /** Value of a secret that flows may name (AGENTFLOW_SECRETS); null for every other name. */
  readonly secret: (name: string) => string | null;
};

/** Nothing is lent. */
export const noResources: Resources = { catalogue: null, secretKey: null, agents: null, secret: () => null };
