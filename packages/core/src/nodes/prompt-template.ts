import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { splitTemplate } from "./template.ts";

export type RenderedPrompt =
  | { readonly ok: true; readonly prompt: string }
  | { readonly ok: false; readonly failure: Failure };

/** The prompt with each `${name}` replaced by its value, verbatim (F-22). Unknown → `config_invalid`, blank → `placeholder_blank` (F-27). */
export function renderPrompt(text: string, values: ReadonlyMap<string, string>): RenderedPrompt {
  let prompt = "";
  for (const piece of splitTemplate(text)) {
    if (piece.kind === "literal") {
      prompt += piece.text;
      continue;
    }
    const value = values.get(piece.name);
    if (value === undefined) {
      return {
        ok: false,
        failure: failure(
          "config_invalid",
          `The prompt uses \${${piece.name}}, which is no input of this node. Wire an input ${piece.name}, or write \\\${${piece.name}} for the text itself.`,
        ),
      };
    }
    if (value.trim() === "") {
      return {
        ok: false,
        failure: failure(
          "placeholder_blank",
          `The prompt uses \${${piece.name}}, which has no value. Fill that input or take the placeholder out.`,
        ),
      };
    }
    prompt += value;
  }
  return { ok: true, prompt };
}
