import type { ErrorCode, Failure } from "../../errors.ts";
import { scan } from "../../json/scan.ts";
import { DEFAULT_MAX_ITERATIONS, DEFAULT_OPERATION_ITERATIONS } from "../../limits.ts";
import type { LimitCaps } from "../../loop/config.ts";
import { pinProblem } from "../../nodes/definition.ts";
import { settingText } from "../authored.ts";
import { ownEntry } from "../ir.ts";
import type { LiteralPin, SlotType } from "../ir.ts";
import { loopProblems } from "../loop-problems.ts";
import { pinText } from "../pins.ts";
import { inputType } from "../slots.ts";
import { error, list, warning } from "./report.ts";
import type { Draft } from "./report.ts";
import { formOf, isGiven, isLoop } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

type Problems = ReadonlyMap<string, Failure>;

/** Codes that a run would fail with and that people look up. */
const SAID_BY_CODE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["delay_invalid", "input_reserved"]);

/** Written pins: they fit their slot (D13), are JSON where they must be, and keep loops inside the caps (D40, D41). */
export function* literalFindings(survey: Survey, caps: LimitCaps): Generator<Draft> {
  for (const node of survey.nodes.values()) {
    if (!node.definition) continue;
    const problems: Problems = isLoop(node) ? settingsOf(survey, node, caps) : new Map();
    for (const [slot, pin] of Object.entries(node.node.pins)) {
      const type = inputType(survey.ir, survey.registry, node.id, slot);
      if (type !== null && !problems.has(slot)) yield* ofPin(node, slot, type, pin);
    }
    for (const [slot, { code, message }] of problems)
      yield error(
        slot === "outputMapping" ? "D62" : "D40",
        node.id,
        slot,
        `\`${slot}\` of loop \`${node.id}\`: ${message}${SAID_BY_CODE.has(code) ? ` (${code})` : ""}.`,
      );
    yield* ofRules(survey, node);
    if (isLoop(node)) yield* defaults(node);
  }
}

/** What a node type asks of its pins beyond their types; a wired one shows only in a run (F-25). */
function* ofRules({ ir, registry }: Survey, { id, node, definition, into }: SurveyedNode): Generator<Draft> {
  for (const [slot, rule] of Object.entries(definition?.pins.shape ?? {})) {
    if (into.has(slot)) continue;
    const pin = ownEntry(node.pins, slot);
    const text = pin && pinText(inputType(ir, registry, id, slot) ?? "text", pin);
    const problem = pinProblem(rule, text);
    if (problem !== null)
      yield error(
        "D13",
        id,
        slot,
        `\`${slot}\` of \`${id}\` is not what a ${node.definition} takes: ${problem}. Correct the value.`,
      );
  }
}

function* ofPin({ id, node }: SurveyedNode, slot: string, type: SlotType, pin: LiteralPin): Generator<Draft> {
  const scanned = "json" in pin ? scan(pin.json) : null;
  const isNull = scanned?.ok === true && scanned.kind === "null";
  const wrong = (what: string, mend: string) =>
    error("D13", id, slot, `\`${slot}\` of \`${id}\` is a ${type} slot and cannot be ${what}. ${mend}.`);
  if (scanned?.ok === false) {
    yield error(
      "D40",
      id,
      slot,
      `\`${slot}\` of \`${id}\` is not JSON: ${scanned.error.message}. Correct the value.`,
    );
  } else if ((type === "node" || type === "context") && !isNull) {
    yield wrong("written", type === "node" ? "Use a chain, flow(…), for control" : "Wire it to a context");
  } else if ("file" in pin && (type === "json" || type === "bool")) {
    yield wrong("a file", `Write the ${type} value itself`);
  } else if (
    scanned?.ok &&
    type !== "json" &&
    type !== "any" &&
    ownEntry(node.inputs, slot) === undefined &&
    isContainer(scanned.kind)
  ) {
    yield wrong(`an ${scanned.kind}`, "Write text, or wire a node that gives text");
  } else if (type === "json" && "text" in pin && pin.text.trim() !== "") {
    const text = scan(pin.text);
    if (!text.ok)
      yield error(
        "D40",
        id,
        slot,
        `\`${slot}\` of \`${id}\` is not JSON: ${text.error.message}. Text on a json slot is JSON text; correct it.`,
      );
  }
}

function isContainer(kind: string): boolean {
  return kind === "object" || kind === "array";
}

/** What is wrong with the authored settings of a loop; also with those of a provide node wired to it. */
function settingsOf({ ir, registry }: Survey, loop: SurveyedNode, caps: LimitCaps): Problems {
  const text = (slot: string) =>
    settingText(ir, registry, { node: loop.id, slot }, loop.into.get(slot)?.[0]?.from);
  return loopProblems(formOf(loop), text, caps);
}

function* defaults(loop: SurveyedNode): Generator<Draft> {
  const form = formOf(loop);
  const missing = (form === "repeat" ? ["timeout"] : ["maxIterations", "timeout"]).filter(
    (slot) => !isGiven(loop, slot) || isBlank(ownEntry(loop.node.pins, slot)),
  );
  if (missing.length === 0) return;
  const count = form === "operation" ? DEFAULT_OPERATION_ITERATIONS : DEFAULT_MAX_ITERATIONS;
  yield warning(
    "D41",
    loop.id,
    null,
    `Loop \`${loop.id}\` relies on the default of ${list(missing, " and ")} (${form === "repeat" ? "" : `${count} iterations, `}30 minutes). Write the pin${missing.length > 1 ? "s" : ""} to say what it may use.`,
  );
}

function isBlank(pin: LiteralPin | undefined): boolean {
  return pin !== undefined && !("file" in pin) && pinText("text", pin).trim() === "";
}
