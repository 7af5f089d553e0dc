import { isModuleFile } from "../../nodes/module-file.ts";
import { saysTrue } from "../pins.ts";
import { error } from "./report.ts";
import type { Draft } from "./report.ts";
import type { Survey, SurveyedNode } from "./survey.ts";

/** Functions and warm loops: a JavaScript module to load (D04, D06), and switches that are written, not wired (D13). */
export function* functionFindings(survey: Survey): Generator<Draft> {
  for (const surveyed of survey.nodes.values()) {
    const { id, node, definition } = surveyed;
    if (definition?.text === "module") {
      if (node.scriptRef === null)
        yield error("D06", id, "script", `\`${id}\` names no module. Write file("…") after the pins.`);
      else yield* ofModule(surveyed, node.scriptRef);
      if (definition.outside !== null) yield* ofSwitch(surveyed, definition.outside);
    }
    if (definition?.type !== "control.while") continue;
    yield* ofSwitch(surveyed, "warm");
    if (!saysTrue(node, "warm")) continue;
    if (node.scriptRef === null)
      yield error(
        "D06",
        id,
        "warm",
        `Loop \`${id}\` is warm but has no script file, and only a JavaScript file can stay loaded. Write file("…") after the pins, or remove warm.`,
      );
    else yield* ofModule(surveyed, node.scriptRef);
  }
}

function* ofModule({ id }: SurveyedNode, path: string): Generator<Draft> {
  if (isModuleFile(path)) return;
  yield error(
    "D04",
    id,
    "script",
    `\`${id}\` names the file ${JSON.stringify(path)}, which is no JavaScript module. Name one that ends in .mjs, .js or .cjs; other scripts are for tool.nodejs.`,
  );
}

function* ofSwitch({ id, into }: SurveyedNode, slot: string): Generator<Draft> {
  if ((into.get(slot) ?? []).length === 0) return;
  yield error(
    "D13",
    id,
    slot,
    `\`${slot}\` of \`${id}\` is wired, but must be known before the flow runs. Write true or false.`,
  );
}
