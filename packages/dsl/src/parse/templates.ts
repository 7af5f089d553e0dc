import { joinTemplate } from "@agentflow/core";
import type { SlotReference } from "@agentflow/core";
import type { Expression, TemplateLiteral } from "acorn";
import { placeholderConstants } from "./names.ts";
import type { Reference } from "./references.ts";
import { readReference } from "./references.ts";
import type { NodeDraft, Scope } from "./scope.ts";
import { markField } from "./scope.ts";

type Field = "script" | "body";

/**
 * The stored text of a script or prompt template (F-8). Own slots and constants stay placeholders; `${node.slot}` and
 * destructured variables become slots of the node with a wire each. Literal dollars are stored as `splitTemplate` reads them.
 */
export function readTemplate(
  scope: Scope,
  draft: NodeDraft,
  template: TemplateLiteral,
  field: Field,
): string {
  const own = new Set([
    ...draft.pins.keys(),
    ...draft.sources.keys(),
    ...Object.keys(draft.definition?.inputs ?? {}),
  ]);
  const added = new Map<string, SlotReference>();
  const pieces: Parameters<typeof joinTemplate>[0][number][] = [];
  for (const [index, quasi] of template.quasis.entries()) {
    pieces.push({ kind: "literal", text: quasi.value.cooked ?? "" });
    const expression = template.expressions[index];
    const name = expression && placeholderName(scope, draft, expression, { own, added, field });
    if (name !== undefined) pieces.push({ kind: "placeholder", name });
  }
  for (const [slot, from] of added) {
    draft.sources.set(slot, from);
    draft.templateSlots.add(slot);
  }
  return joinTemplate(pieces);
}

type Slots = {
  readonly own: ReadonlySet<string>;
  readonly added: Map<string, SlotReference>;
  readonly field: Field;
};

function placeholderName(
  scope: Scope,
  draft: NodeDraft,
  expression: Expression,
  slots: Slots,
): string | undefined {
  const subject = { node: draft.id, field: slots.field };
  if (expression.type === "Identifier") {
    const { name } = expression;
    if (slots.own.has(name)) return name;
    if (placeholderConstants.has(name) && scope.bindings.get(name)?.kind === "output") {
      scope.report.add(
        "D06",
        expression,
        `\`${name}\` is a placeholder of every script and a variable here: rename the variable.`,
        subject,
      );
    }
    if (placeholderConstants.has(name) || !scope.bindings.has(name)) return name;
  }
  const root = expression.type === "MemberExpression" ? expression.object : null;
  const wire = root?.type === "Identifier" ? { ...subject, field: root.name } : subject;
  const reference = readReference(scope, expression, wire);
  return reference ? slotFor(scope, expression, reference, slots, subject) : undefined;
}

/** The slot a wire in a template goes into: named after its root, a second slot of the same node `node_slot` (F-8). */
function slotFor(
  scope: Scope,
  at: Expression,
  { root, from }: Reference,
  { own, added }: Slots,
  subject: { node: string; field: string },
): string | undefined {
  const fits = (slot: string): boolean => {
    const taken = added.get(slot);
    return taken === undefined || (taken.node === from.node && taken.slot === from.slot);
  };
  const name = fits(root) ? root : `${root}_${from.slot}`;
  if (own.has(name) || placeholderConstants.has(name) || !fits(name)) {
    const mend = `give the pin another name, or write it as a pin and use \`\${pin}\``;
    scope.report.add("D06", at, `This needs a slot \`${name}\`, a name that is taken: ${mend}.`, subject);
    return undefined;
  }
  if (!added.has(name)) markField(scope, subject.node, name, at);
  added.set(name, from);
  return name;
}
