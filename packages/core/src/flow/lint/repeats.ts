import { readRepeatKeys, REPEAT_KEYS } from "../../loop/repeat-keys.ts";
import type { RepeatKeys } from "../../loop/repeat-keys.ts";
import { settingText } from "../authored.ts";
import { ownEntry } from "../ir.ts";
import type { IrSubflow, SlotType } from "../ir.ts";
import { memberType } from "./contracts.ts";
import { error, list } from "./report.ts";
import type { Draft } from "./report.ts";
import { formOf, isLoop } from "./survey.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

/** The children of repeats: what they answer is there and can be what it must be (R-4: D34, D36); `outputKey` is written. */
export function* repeatFindings(survey: Survey): Generator<Draft> {
  for (const node of survey.nodes.values())
    if (isLoop(node) && formOf(node) === "repeat") yield* ofRepeat(survey, node);
}

function* ofRepeat(survey: Survey, repeat: SurveyedNode): Generator<Draft> {
  const { ir } = survey;
  if (repeat.into.has("outputKey"))
    yield error(
      "D13",
      repeat.id,
      "outputKey",
      `\`outputKey\` of \`${repeat.id}\` is wired, but outputs go by that name in the flow. Write it.`,
    );
  const child = ownEntry(repeat.node.attributes, "child");
  const subflow = child === undefined ? undefined : ownEntry(ir.subflows, child);
  const keys = keysOf(survey, repeat);
  if (child === undefined || !subflow || keys === null) return;
  if (ownEntry(subflow.outputs, keys.untilKey) === undefined)
    yield error(
      "D34",
      repeat.id,
      "child",
      `The child \`${child}\` of \`${repeat.id}\` lacks the output \`${keys.untilKey}\`, which says whether it is done. Bind it to a bool or json output, or name another output by untilKey.`,
    );
  yield* ofType(survey, repeat.id, child, subflow, "output", keys.untilKey, ["bool", "json", "any"]);
  yield* ofType(survey, repeat.id, child, subflow, "output", keys.nextStateKey, ["json", "any"]);
  yield* ofType(survey, repeat.id, child, subflow, "input", keys.stateKey, ["json", "any", "text"]);
  yield* ofType(survey, repeat.id, child, subflow, "input", keys.iterationKey, ["text", "json", "any"]);
}

/** The keys as far as the flow says them; null when a run decides, or they are wrong (D40). */
function keysOf({ ir, registry }: Survey, repeat: SurveyedNode): RepeatKeys | null {
  const texts = new Map<string, string>();
  for (const slot of REPEAT_KEYS) {
    const text = settingText(ir, registry, { node: repeat.id, slot }, repeat.into.get(slot)?.[0]?.from);
    if (text === null) return null;
    if (text !== undefined) texts.set(slot, text);
  }
  const read = readRepeatKeys(texts);
  return read.ok ? read.keys : null;
}

function* ofType(
  survey: Survey,
  repeat: string,
  child: string,
  subflow: IrSubflow,
  side: "input" | "output",
  name: string,
  allowed: readonly SlotType[],
): Generator<Draft> {
  const given = side === "input" ? subflow.inputs : subflow.outputs;
  if (ownEntry<unknown>(given, name) === undefined) return;
  const type = memberType(survey, child, subflow, side, name);
  if (type === null || allowed.includes(type)) return;
  const parse =
    side === "output" && (type === "text" || type === "any")
      ? "Lead it through a control.parseJson"
      : "Change its type";
  yield error(
    "D36",
    repeat,
    name,
    `The ${side} \`${name}\` of the child \`${child}\` is ${type}; repeat \`${repeat}\` takes ${list(allowed, " or ")}. ${parse}.`,
  );
}
