import { failure } from "../errors.ts";
import type { SlotValues } from "./definition.ts";
import { renderPrompt } from "./prompt-template.ts";
import type { RenderedPrompt } from "./prompt-template.ts";
import { joinTemplate, splitTemplate } from "./template.ts";

/** What an agent's prompt is made of. */
export type PromptParts = {
  /** The node's own prompt as it is stored; blank when it has none. */
  readonly text: string;
  /** The node's inputs by slot, without contexts. */
  readonly inputs: SlotValues;
  /** `${flowDir}` and the like; inputs win over them (F-22). */
  readonly constants: ReadonlyMap<string, string>;
  /** Free outputs the answer must give. */
  readonly outputs: readonly string[];
};

const USER_PROMPT = "USER_PROMPT";

/**
 * The whole prompt: the node's text with its placeholders filled, then every input the text does not name, then what the answer
 * must look like. Neither text nor input: `node_failed` (F-27); a placeholder without a value: `placeholder_blank`.
 */
export function composePrompt({ text, inputs, constants, outputs }: PromptParts): RenderedPrompt {
  const pieces = splitTemplate(text);
  const named = new Set(pieces.flatMap((piece) => (piece.kind === "placeholder" ? [piece.name] : [])));
  const given = [...inputs].filter(([, value]) => value.trim() !== "");
  if (text.trim() === "" && given.length === 0) {
    const message =
      "The agent has nothing to do: it has no prompt, and no input has a value. Give it either.";
    return { ok: false, failure: failure("node_failed", message) };
  }
  const own = ownPrompt(pieces, inputs);
  const rendered = renderPrompt(text, new Map([...constants, [USER_PROMPT, own], ...inputs]));
  if (!rendered.ok) return rendered;
  const viaPrompt = named.has(USER_PROMPT) && !inputs.has(USER_PROMPT);
  const rest = given.filter(([slot]) => !named.has(slot) && !(viaPrompt && slot === "prompt"));
  const parts = [
    ...(rendered.prompt.trim() === "" ? [] : [rendered.prompt]),
    ...rest.map(([slot, value]) => `<input name="${slot}">\n${value}\n</input>`),
    ...(outputs.length === 0 ? [] : [answerShape(outputs)]),
  ];
  return { ok: true, prompt: parts.join("\n\n") };
}

/** What `${USER_PROMPT}` stands for: the input `prompt` where a prompt file is a frame, else the text around the placeholder. */
function ownPrompt(pieces: ReturnType<typeof splitTemplate>, inputs: SlotValues): string {
  const prompt = inputs.get("prompt");
  if (prompt !== undefined) return prompt;
  const others = pieces.filter((piece) => piece.kind === "literal" || piece.name !== USER_PROMPT);
  const rendered = renderPrompt(joinTemplate(others), inputs);
  return rendered.ok ? rendered.prompt.trim() : "";
}

function answerShape(outputs: readonly string[]): string {
  const keys = outputs.map((key) => JSON.stringify(key)).join(", ");
  return `Answer with one JSON object and nothing else. Its keys are ${keys}; every value is a text.`;
}
