import type { ContextReferences } from "@agentflow/core";
import type { AgentOutcome, AgentRequest, AgentRunner } from "../ports/agent.ts";
import type { ContextContent, ContextSource } from "../ports/context.ts";

/** An agent that is a function of its request; a plain text is its answer, which costs 10 tokens in and 1 out. */
export class ScriptedAgents implements AgentRunner {
  /** Every request, oldest first. */
  readonly asked: AgentRequest[] = [];
  readonly #script: (request: AgentRequest, number: number) => string | AgentOutcome;

  constructor(script: (request: AgentRequest, number: number) => string | AgentOutcome) {
    this.#script = script;
  }

  async run(request: AgentRequest): Promise<AgentOutcome> {
    this.asked.push(request);
    const end = this.#script(request, this.asked.length);
    return typeof end === "string"
      ? { kind: "answered", answer: end, usage: { inputTokens: 10, outputTokens: 1 } }
      : end;
  }
}

/** A catalogue that has every id; each text says `<mark> <id>`. `refuse` makes it say why it has none. */
export class ScriptedCatalogue implements ContextSource {
  readonly asked: ContextReferences[] = [];
  mark: string;
  refuse: string | null = null;

  constructor(mark: string) {
    this.mark = mark;
  }

  async resolve(references: ContextReferences) {
    this.asked.push(references);
    if (this.refuse !== null) return { ok: false as const, message: this.refuse };
    const content: ContextContent = {
      knowledge: references.knowledge.map((id) => ({ id, title: id, text: `${this.mark} ${id}` })),
      skills: references.skills.map((id) => ({ id, description: id, text: `${this.mark} ${id}` })),
      workspace: references.workspace && {
        ...references.workspace,
        path: `/spaces/${references.workspace.id}`,
      },
      mcp: references.mcp.map((id) => ({ id, kind: "stdio", command: this.mark, args: [], env: ["TOKEN"] })),
    };
    return { ok: true as const, content };
  }
}
