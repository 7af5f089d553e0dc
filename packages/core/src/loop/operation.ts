import { failure } from "../errors.ts";
import type { ErrorCode, Failure } from "../errors.ts";
import { excerpt } from "../json/excerpt.ts";
import { elements, members } from "../json/members.ts";
import { scan } from "../json/scan.ts";
import { decodeString, quote } from "../json/strings.ts";
import { arrayText, objectText } from "../json/write.ts";

/**
 * What an operation loop does in each iteration (OP-2). `params`, `templateParameters` and `message` are exact JSON texts that
 * are still to be resolved (OP-5); `context` holds ids of the operator's catalogue.
 */
export type Operation =
  | { readonly kind: "action"; readonly name: string; readonly params: string }
  | { readonly kind: "prompt"; readonly name: string; readonly templateParameters: string }
  | {
      readonly kind: "subAgent";
      readonly name: string;
      readonly message: string;
      readonly templateParameters: string;
      readonly context: readonly string[];
    };

export type OperationKind = Operation["kind"];

export type OperationReading =
  | { readonly ok: true; readonly operation: Operation }
  | { readonly ok: false; readonly failure: Failure };

/** Members of the stored object by kind; the first one names the operation. */
export const OPERATION_MEMBERS: Readonly<Record<OperationKind, readonly string[]>> = {
  action: ["action", "params"],
  prompt: ["prompt", "templateParameters"],
  subAgent: ["subAgent", "message", "templateParameters", "context"],
};

/** Every kind of operation. */
export const OPERATION_KINDS = ["action", "prompt", "subAgent"] as const satisfies readonly OperationKind[];

/**
 * The attribute `operation` of a loop: JSON text with exactly one of `action`, `prompt` and `subAgent`, else `body_not_one`
 * (OP-2). Anything else that is wrong with it is `config_invalid`, naming the member.
 */
export function readOperation(text: string): OperationReading {
  const scanned = scan(text);
  if (!scanned.ok) return refused("config_invalid", `the operation is not JSON: ${scanned.error.message}`);
  if (scanned.kind !== "object") return refused("config_invalid", `the operation is a JSON ${scanned.kind}`);
  const given = members(scanned.text);
  const kinds = OPERATION_KINDS.filter((kind) => given.has(kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const what = kind === undefined ? "none" : kinds.join(" and ");
    return refused("body_not_one", `a loop takes exactly one of action, prompt and subAgent; it has ${what}`);
  }
  const unknown = [...given.keys()].filter((key) => !OPERATION_MEMBERS[kind].includes(key));
  if (unknown.length > 0)
    return refused("config_invalid", `${kind} has no ${unknown.slice(0, 10).map(shown).join(", ")}`);
  const name = textOf(given.get(kind));
  if (name === null || name.trim() === "")
    return refused("config_invalid", `the name of ${kind} is not a non-empty text`);
  return readMembers(kind, name, given);
}

/** The one compact text of an operation: what `readOperation` reads as the same. */
export function operationText(operation: Operation): string {
  const { kind, name } = operation;
  const rest: readonly (readonly [string, string])[] =
    kind === "action"
      ? [["params", operation.params]]
      : kind === "prompt"
        ? [["templateParameters", operation.templateParameters]]
        : [
            ["message", operation.message],
            ["templateParameters", operation.templateParameters],
            ["context", arrayText(operation.context.map(quote))],
          ];
  return objectText([[kind, quote(name)], ...rest]);
}

/** `prompts/<name>.md` of the bundle, for a prompt (OP-2). */
export function promptFile(name: string): string {
  return `prompts/${name}.md`;
}

function readMembers(
  kind: OperationKind,
  name: string,
  given: ReadonlyMap<string, string>,
): OperationReading {
  const objects = ["params", "templateParameters"].filter((key) => given.has(key));
  for (const key of objects) {
    if (!given.get(key)?.startsWith("{"))
      return refused("config_invalid", `${key} of ${kind} is not an object`);
  }
  const templateParameters = given.get("templateParameters") ?? "{}";
  if (kind === "action") return { ok: true, operation: { kind, name, params: given.get("params") ?? "{}" } };
  if (kind === "prompt") return { ok: true, operation: { kind, name, templateParameters } };
  const message = given.get("message") ?? '""';
  if (!message.startsWith('"')) return refused("config_invalid", "the message of subAgent is not a text");
  const context = readContext(given.get("context") ?? "[]");
  if (context === null)
    return refused(
      "config_invalid",
      "the context of subAgent is not a list of names from the operator's catalogue; objects are refused, they could carry credentials",
    );
  return { ok: true, operation: { kind, name, message, templateParameters, context } };
}

/** Names of catalogue entries; null when anything else stands there. */
function readContext(text: string): readonly string[] | null {
  if (!text.startsWith("[")) return null;
  const names = elements(text).map(textOf);
  return names.includes(null) ? null : names.filter((name) => name !== null);
}

function textOf(json: string | undefined): string | null {
  return json?.startsWith('"') ? decodeString(json) : null;
}

function shown(name: string): string {
  return excerpt(name, 40);
}

function refused(code: ErrorCode, message: string): OperationReading {
  return { ok: false, failure: failure(code, message) };
}
