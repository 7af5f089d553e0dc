import { ownEntry } from "../ir.ts";
import type { IrSubflow, SlotType } from "../ir.ts";
import { inputNodeType } from "../slots.ts";
import type { LintCode } from "./codes.ts";
import { error } from "./report.ts";
import type { Draft } from "./report.ts";
import type { Survey } from "./survey.ts";

type Role = "condition" | "body";
type Member = { readonly type: SlotType; readonly required: boolean };
type Contract = {
  readonly title: string;
  readonly code: LintCode;
  readonly inputs: ReadonlyMap<string, Member>;
  readonly outputs: ReadonlyMap<string, Member>;
};

const required = (type: SlotType): Member => ({ type, required: true });
const optional = (type: SlotType): Member => ({ type, required: false });

/** The closed contracts of a loop's subflows (F-15). */
const contracts: Readonly<Record<Role, Contract>> = {
  condition: {
    title: "Condition",
    code: "D34",
    inputs: new Map([
      ["state", required("json")],
      ["iteration", required("text")],
      ["context", optional("context")],
      ["idempotencyKey", optional("text")],
      ["resume", optional("json")],
    ]),
    outputs: new Map([
      ["decision", required("text")],
      ["summary", optional("text")],
    ]),
  },
  body: {
    title: "Body",
    code: "D35",
    inputs: new Map([
      ["state", required("json")],
      ["iteration", required("text")],
      ["idempotencyKey", required("text")],
      ["context", optional("context")],
      ["resume", optional("json")],
    ]),
    outputs: new Map([
      ["state", required("json")],
      ["summary", optional("text")],
    ]),
  },
};

/** Whether the Conditions and Bodies of loops have the contract of their role (D34 to D36, D38, D39); each subflow once per role. */
export function* contractFindings(survey: Survey): Generator<Draft> {
  for (const [role, id, subflow] of roles(survey)) {
    const contract = contracts[role];
    yield* ofSide(survey, id, contract, "input", subflow);
    yield* ofSide(survey, id, contract, "output", subflow);
  }
}

/** Subflow id → required inputs that a loop misses in it. */
export function missingInputs(survey: Survey): ReadonlyMap<string, ReadonlySet<string>> {
  const missing = new Map<string, Set<string>>();
  for (const [role, id, subflow] of roles(survey)) {
    const names = missing.get(id) ?? new Set<string>();
    missing.set(id, names);
    for (const [name, member] of contracts[role].inputs) {
      if (member.required && ownEntry(subflow.inputs, name) === undefined) names.add(name);
    }
  }
  return missing;
}

/** Every subflow in every role it has; a loop with the same one twice is D32 and says nothing about contracts. */
function roles({ ir, uses }: Survey): [Role, string, IrSubflow][] {
  const found = new Map<string, [Role, string, IrSubflow]>();
  for (const { node, role, subflow: id } of uses) {
    const subflow = ownEntry(ir.subflows, id);
    const { attributes } = node.node;
    if (
      (role !== "condition" && role !== "body") ||
      !subflow ||
      ownEntry(attributes, "condition") === ownEntry(attributes, "body")
    )
      continue;
    found.set(`${role} ${id}`, [role, id, subflow]);
  }
  return [...found.values()];
}

function* ofSide(
  survey: Survey,
  id: string,
  contract: Contract,
  side: "input" | "output",
  subflow: IrSubflow,
): Generator<Draft> {
  const { title, code } = contract;
  const allowed = side === "input" ? contract.inputs : contract.outputs;
  const given = side === "input" ? subflow.inputs : subflow.outputs;
  for (const [name, { type, required: isRequired }] of allowed) {
    if (!isRequired || ownEntry<unknown>(given, name) !== undefined) continue;
    const mend =
      side === "input"
        ? `Bind it to flow.input("${name}", "${type}")`
        : `Bind it to a ${type} output of a node in its chain`;
    yield error(code, id, name, `The ${title} \`${id}\` lacks the ${side} \`${name}\`. ${mend}.`);
  }
  for (const name of Object.keys(given)) {
    const member = allowed.get(name);
    if (!member) {
      yield error(
        side === "input" ? "D39" : "D38",
        id,
        name,
        `The ${title} \`${id}\` has the ${side} \`${name}\`, which no ${title} has. Remove it; allowed are ${[...allowed.keys()].join(", ")}.`,
      );
      continue;
    }
    const type = memberType(survey, id, subflow, side, name);
    // What a function returns may be anything; the loop reads it strictly when it comes.
    if (type === null || type === member.type || (side === "output" && type === "any")) continue;
    const parse =
      side === "output" && type === "text" && member.type === "json"
        ? " Lead it through a control.parseJson."
        : "";
    yield error(
      "D36",
      id,
      name,
      `The ${side} \`${name}\` of the ${title} \`${id}\` is ${type} and must be ${member.type}.${parse || ` Make it ${member.type}.`}`,
    );
  }
}

/** Type of a member of a subflow's contract; null when it is unknown for a reason that is reported elsewhere. */
export function memberType(
  survey: Survey,
  id: string,
  subflow: IrSubflow,
  side: "input" | "output",
  name: string,
): SlotType | null {
  if (side === "output") {
    const source = ownEntry(subflow.outputs, name);
    return source && survey.nodes.get(source.node)?.owners.includes(id) ? survey.typeOf(source) : null;
  }
  const receiver = survey.nodes.get(ownEntry(subflow.inputs, name) ?? "");
  return receiver?.definition?.type === "flow.input" ? inputNodeType(survey.ir, receiver.id) : null;
}
