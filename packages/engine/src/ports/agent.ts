import type { CommandOutcome } from "./command.ts";
import type { ContextContent } from "./context.ts";
import type { CommandPlace } from "./runtime.ts";

/** Tokens a model read and wrote, as it counts them. */
export type TokenUsage = { readonly inputTokens: number; readonly outputTokens: number };

/** One prompt to be done. */
export type AgentRequest = {
  /** The final prompt: nothing in it is rendered again. */
  readonly prompt: string;
  /** Resources the agent may use; null when its node has none. */
  readonly content: ContextContent | null;
  /** Folders of the attempt, for agents that are commands. */
  readonly place: CommandPlace;
  /** Active time left, ms; null for none. */
  readonly deadlineMs: number | null;
  /** Names the step in a process's environment. */
  readonly marker: string;
};

/** How an agent ended. No message holds a credential. */
export type AgentOutcome =
  | { readonly kind: "answered"; readonly answer: string; readonly usage: TokenUsage | null }
  /** The agent is a command: its exit code and stdout decide, as for every command (F-26). */
  | { readonly kind: "command"; readonly outcome: CommandOutcome }
  /** The model's service refused, stayed away through every try, or answered in no usable way (F-27). */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "timed_out" }
  | { readonly kind: "aborted" };

/** Does prompts (F-26). Made by exec; the engine never talks to a model itself. */
export interface AgentRunner {
  run(request: AgentRequest, signal: AbortSignal): Promise<AgentOutcome>;
}
