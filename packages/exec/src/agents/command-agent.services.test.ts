import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CommandPlace, ContextContent } from "@agentflow/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { idlePlace } from "../testing/idle-place.ts";
import { openStepRig, type StepRig, textOf } from "../testing/step-rig.ts";
import { createCommandAgent } from "./command-agent.ts";

let rig: StepRig;
beforeAll(async () => {
  rig = await openStepRig();
});
afterAll(() => rig.close());

const content: ContextContent = {
  knowledge: [{ id: "notes", title: "", text: "The sky is green." }],
  skills: [],
  workspace: { id: "repo", path: "/srv/repo", access: "read-write" },
  mcp: [
    {
      id: "issues",
      kind: "http",
      url: "http://127.0.0.1:1/mcp",
      headers: { authorization: "Bearer ${TOKEN}" },
    },
  ],
};

async function ask(
  command: string,
  prompt: string,
  given: { content?: ContextContent; deadlineMs?: number } = {},
) {
  const run: CommandPlace["run"] = (step, signal) => rig.run(step.command, { ...step, signal });
  const request = {
    prompt,
    content: given.content ?? null,
    place: { ...idlePlace(), run },
    deadlineMs: given.deadlineMs ?? null,
    marker: "run_1",
  };
  const end = await createCommandAgent(command).run(request, new AbortController().signal);
  if (end.kind !== "command") throw new Error(`it ended ${end.kind}`);
  return end.outcome;
}

describe("a coding agent as a command", () => {
  test("F-26: the prompt is on stdin byte for byte, the answer on stdout, whatever shell text is in it", async () => {
    const prompt = "Say $(date) `id` 'it' \"so\" \\ é 😀\n\n  twice";
    expect(textOf(await ask("cat", prompt))).toBe(prompt);
    const large = "x".repeat(1_000_000);
    expect(textOf(await ask("wc -c", large)).trim()).toBe("1000000");
  });

  test("F-26, F-7: a context stands before the prompt, and whole, without credentials, in a private file that goes with the step", async () => {
    const kept = join(rig.folder, "where");
    const command = `printf '%s' "$AGENTFLOW_CONTEXT_FILE" > '${kept}'; stat -c '%a ' "$AGENTFLOW_CONTEXT_FILE"; cat "$AGENTFLOW_CONTEXT_FILE"; echo; echo "$AGENTFLOW_WORKSPACE $AGENTFLOW_WORKSPACE_ACCESS $AGENTFLOW_CONTEXT"; cat`;
    const said = textOf(await ask(command, "Do it.", { content }));
    const [mode, file, workspace, ...stdin] = said.split("\n");
    expect(mode?.trim()).toBe("600");
    expect(JSON.parse(file ?? "")).toEqual(content);
    expect(workspace).toBe("/srv/repo read-write ");
    expect(stdin.join("\n")).toMatch(/The sky is green[^]*Do it\.$/);
    await expect(stat(await readFile(kept, "utf8"))).rejects.toThrow("ENOENT");
  });

  test("F-26, L-24, L-25, L-29: its limits are those of every command", async () => {
    const kinds: string[] = [];
    for (const command of ["exit 3", "head -c 1048577 /dev/zero", "kill -9 $$"])
      kinds.push((await ask(command, "")).kind);
    kinds.push((await ask("sleep 60", "", { deadlineMs: 100 })).kind);
    expect(kinds).toEqual(["exited", "too_large", "signalled", "timed_out"]);
  });
});
