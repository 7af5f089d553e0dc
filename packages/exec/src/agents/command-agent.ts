import type { AgentRunner } from "@agentflow/engine";
import { instructions } from "./instructions.ts";

/**
 * Does prompts with a coding agent's command (F-26): context and prompt on stdin, answer on stdout, limits and killing as for every
 * command. The whole context is in AGENTFLOW_CONTEXT_FILE, its workspace in AGENTFLOW_WORKSPACE and AGENTFLOW_WORKSPACE_ACCESS.
 */
export function createCommandAgent(command: string): AgentRunner {
  return {
    async run({ prompt, content, place, deadlineMs, marker }, signal) {
      const resources = instructions(content);
      const { workspace = null } = content ?? {};
      const step = {
        command,
        stdin: resources === "" ? prompt : `${resources}\n\n${prompt}`,
        env:
          workspace === null
            ? {}
            : { AGENTFLOW_WORKSPACE: workspace.path, AGENTFLOW_WORKSPACE_ACCESS: workspace.access },
        files:
          content === null
            ? {}
            : {
                AGENTFLOW_CONTEXT: {
                  fileName: "context.json",
                  text: JSON.stringify(content),
                  alsoEnv: false,
                },
              },
        deadlineMs,
        marker,
      };
      return { kind: "command", outcome: await place.run(step, signal) };
    },
  };
}
