import type { Node, Program } from "acorn";

/** A piece of syntax that no flow may hold, and how to do without it (F-5). */
export type Banned = { readonly code: "D02" | "D03"; readonly node: Node; readonly message: string };

const LOOP = "A loop statement is not allowed in a flow: use control.while.";
const FUNCTION =
  "A function is not allowed in a flow: put the code in a file under scripts/ and run it with tool.function or tool.nodejs.";
const SPREAD = "A spread (`...`) is not allowed in a flow: write every argument, pin or name out.";
const COMPUTED = "A computed access or key is not allowed in a flow: write the name, as in `node.slot`.";

const bannedTypes: ReadonlyMap<string, string> = new Map([
  ["ForStatement", LOOP],
  ["ForInStatement", LOOP],
  ["ForOfStatement", LOOP],
  ["WhileStatement", LOOP],
  ["DoWhileStatement", LOOP],
  ["IfStatement", "`if` is not allowed in a flow: use control.if."],
  ["ConditionalExpression", "A ternary (`? :`) is not allowed in a flow: use control.if."],
  [
    "AwaitExpression",
    "`await` is not allowed in a flow: a flow is data, remove it; nodes wait for what they are wired to.",
  ],
  ["SpreadElement", SPREAD],
  ["RestElement", SPREAD],
  ["FunctionDeclaration", FUNCTION],
  ["FunctionExpression", FUNCTION],
  ["ArrowFunctionExpression", FUNCTION],
  ["SwitchStatement", "`switch` is not allowed in a flow: use control.if."],
  [
    "TryStatement",
    "`try` is not allowed in a flow: remove it; a node that fails ends the run with its reason.",
  ],
  ["NewExpression", "`new` is not allowed in a flow: write a literal, or compute the value in a script."],
]);

/** Every banned piece of the file, nested ones too (D02, D03). Walks without recursion: trees may be very deep. */
export function findBanned(program: Program): readonly Banned[] {
  const found: Banned[] = [];
  const open: Node[] = [program];
  for (let node = open.pop(); node; node = open.pop()) {
    const message = bannedTypes.get(node.type);
    if (message !== undefined) found.push({ code: "D02", node, message });
    else if ("computed" in node && node.computed === true)
      found.push({ code: "D03", node, message: COMPUTED });
    for (const value of Object.values(node)) pushNodes(open, value);
  }
  return found;
}

function pushNodes(open: Node[], value: unknown): void {
  if (isNode(value)) open.push(value);
  else if (Array.isArray(value)) for (const element of value) if (isNode(element)) open.push(element);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
