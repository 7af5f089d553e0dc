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

  /** An id says of itself what it is: `skill-…`, `mcp-…`, `space-…`; every other one is knowledge. */
  async kindsOf(ids: readonly string[]) {
    if (this.refuse !== null) return { ok: false as const, message: this.refuse };
    const kinds = ids.map((id) => {
      if (id.startsWith("skill-")) return "skills" as const;
      if (id.startsWith("mcp-")) return "mcp" as const;
      return id.startsWith("space-") ? ("workspace" as const) : ("knowledge" as const);
    });
    return { ok: true as const, kinds };
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
