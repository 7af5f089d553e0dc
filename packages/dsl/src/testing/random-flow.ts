import { scan } from "@agentflow/core";
import fc from "fast-check";

/** Characters that have hurt labels, scripts and keys before: quotes, separators, script ends, both normal forms of é. */
const HARD = [
  '"',
  "'",
  "`",
  "\\",
  "/",
  "#",
  ":",
  "\n",
  "\r",
  "\t",
  "\0",
  "\u2028",
  "\u202e",
  "é",
  "e\u0301",
  "测",
  "😀",
  "$",
  "{",
  "}",
  "${",
  "$${",
];
const hardText = fc.string({
  unit: fc.constantFrom(...HARD, "</script", "<!--", "//", "*/", "a", "b", " ", "${w}", "${flowDir}"),
  maxLength: 12,
});
const json = fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }).map((value) => JSON.stringify(value));

/** What the JSON policy takes: an operation is read under it. */
const exact = json.filter((text) => scan(text).ok);

type Draw = fc.GeneratorValue;
/** A part of the file whose nodes read from and follow each other: the parent graph or one subflow. */
type Region = {
  readonly draw: Draw;
  readonly lines: string[];
  readonly values: string[];
  readonly chained: string[];
  readonly subflows: readonly string[];
  /** Most nodes of the region. */
  readonly most: number;
};

const NAMES = ["n", "$", "_", "é", "e\u0301", "名", "constructor", "v"];

/** A name nothing has yet: every name is followed by its line. */
function newName({ draw, lines }: Region): string {
  return `${draw(fc.constantFrom, ...NAMES)}${lines.length}`;
}

/** A correct flow file at random: every node type, subflows, calls, loops, forks, branches, hard texts; `most` nodes in each graph. */
export function writeFlow(draw: Draw, most = 5): string {
  const lines: string[] = [];
  const subflows: string[] = [];
  for (let count = draw(fc.nat, { max: 2 }); count > 0; count--)
    writeSubflow({ draw, lines, values: [], chained: [], subflows: [...subflows], most }, subflows);
  const region: Region = { draw, lines, values: [], chained: [], subflows, most };
  writeNodes(region);
  const orphans = draw(fc.boolean) ? [] : region.chained;
  if (draw(fc.integer, { min: 0, max: 4 }) > 0)
    lines.push(`export const run${draw(fc.nat)} = ${flow(region, orphans, true)};`);
  return lines.join("\n");
}

function writeSubflow(region: Region, subflows: string[]): void {
  const { draw, lines, values, chained } = region;
  const inputs = Array.from({ length: draw(fc.nat, { max: 2 }) }, () => {
    const id = newName(region);
    lines.push(
      `const ${id} = flow.input(${JSON.stringify(draw(() => hardText))}, "${draw(fc.constantFrom, "text", "json", "bool")}");`,
    );
    values.push(`${id}.value`);
    return id;
  });
  writeNodes(region);
  const id = newName(region);
  const outputs = values.slice(0, draw(fc.nat, { max: 2 })).map((value, index) => `o${index}: ${value}`);
  lines.push(
    `const ${id} = flow.subflow(${JSON.stringify(draw(() => hardText))}, { ${inputs.join(", ")} }, ${flow(region, chained, false)}, { ${outputs.join(", ")} });`,
  );
  subflows.push(id);
}

function writeNodes(region: Region): void {
  for (let count = region.draw(fc.integer, { min: 1, max: region.most }); count > 0; count--)
    writeNode(region);
}

function writeNode(region: Region): void {
  const { draw, lines, values, chained, subflows } = region;
  const id = newName(region);
  const label = JSON.stringify(draw(() => hardText));
  const kind = draw(
    fc.constantFrom,
    "text",
    "json",
    "bool",
    "file",
    "context",
    "parse",
    "script file",
    "tool",
    "agent",
    "show",
    "if",
    "while",
    "loop",
    "operation",
    "repeat",
    "call",
  );
  const value = (): string => (values.length > 0 ? draw(fc.constantFrom, ...values) : '"none"');
  const put = (text: string, ...outputs: string[]): void => {
    lines.push(`const ${id} = ${text};`);
    for (const output of outputs) values.push(`${id}.${output}`);
  };
  if (kind === "text")
    return put(`provide.text(${label}, { value: ${JSON.stringify(draw(() => hardText))} })`, "value");
  if (kind === "json") return put(`provide.json(${label}, { value: ${draw(() => json)} })`, "value");
  if (kind === "file")
    return put(`provide.file(${label}, { value: file(${JSON.stringify(`f/${draw(fc.nat)}'"`)}) })`, "value");
  if (kind === "bool")
    return put(
      `provide.bool(${label}, { value: ${draw(fc.constantFrom, "true", "null", '"no"')} })`,
      "value",
    );
  if (kind === "context") return put(`context.test(${label})`);
  chained.push(id);
  if (kind === "parse") put(`control.parseJson(${label}, { value: ${value()} })`, "result");
  else if (kind === "script file")
    put(`tool.nodejs(${label}, { w: -0.50, v: ${value()} }, file("s/${draw(fc.nat)}.mjs"))`, "result");
  else if (kind === "tool")
    put(`tool.nodejs(${label}, { w: ${value()}, "x y": ${draw(() => json)} }, ${script(region)})`, "result");
  else if (kind === "agent") {
    const context = draw(fc.boolean) ? ", context: null" : "";
    const prompt = draw(fc.boolean) ? script(region) : `file("p/${draw(fc.nat)}.md")`;
    put(`agent.test(${label}, { w: ${value()}${context} }, ${prompt})`, "result", "extra");
    lines.push(`const { extra: extra_${id.replaceAll("$", "s")} } = ${id};`);
  } else if (kind === "show") put(`display.code(${label}, { content: ${value()} })`, "content");
  else if (kind === "while")
    put(
      `control.while(${label}, { state: ${value()}, maxIterations: ${draw(fc.nat)} }, ${script(region)})`,
      "state",
    );
  else if (kind === "if") {
    const branches = [flow(region, take(region), false), flow(region, take(region), false)].slice(
      0,
      draw(fc.nat, { max: 2 }),
    );
    put(`control.if(${[label, `{ prediction: ${value()} }`, ...branches].join(", ")})`);
  } else if (subflows.length > 0 && kind === "loop") {
    put(
      `control.while(${label}, {}, ${draw(fc.constantFrom, ...subflows)}, ${draw(fc.constantFrom, ...subflows)})`,
      "summary",
    );
  } else if (kind === "operation") {
    const options = draw(fc.boolean) ? `, { delayMs: ${draw(fc.nat)}, retries: ${draw(() => json)} }` : "";
    put(
      `control.while(${label}, {}, ${JSON.stringify(draw(() => hardText))}, ${operation(region)}${options})`,
    );
  } else if (subflows.length > 0 && kind === "repeat") {
    const key = JSON.stringify(draw(() => hardText));
    put(
      `control.repeat(${label}, { w: ${value()} }, ${draw(fc.constantFrom, ...subflows)}, { outputKey: ${key} })`,
      "completed",
    );
  } else if (subflows.length > 0)
    put(`flow.call(${label}, ${draw(fc.constantFrom, ...subflows)}, { a: ${value()} })`, "o0");
  else put(`tool.nodejs(${label})`, "result");
}

function operation({ draw, subflows }: Region): string {
  const name = JSON.stringify(`n${draw(() => hardText)}`);
  const object = `{ a: ${draw(() => exact)}, "x y": ${draw(() => exact)} }`;
  const called = subflows.length > 0 && draw(fc.boolean) ? draw(fc.constantFrom, ...subflows) : name;
  return draw(
    fc.constantFrom,
    `action(${called}, ${object})`,
    `action(${called})`,
    `prompt(${name}, ${object})`,
    `subAgent(${name}, ${JSON.stringify(draw(() => hardText))}, { context: ["a"], templateParameters: ${object} })`,
    `subAgent(${name})`,
  );
}

/** Takes some nodes out of the chain to be, so that a branch has them; the node being written is the last one and stays. */
function take({ draw, chained }: Region): string[] {
  return chained.splice(0, draw(fc.nat, { max: Math.max(0, chained.length - 1) }));
}

function script(region: Region): string {
  const { draw, values } = region;
  const text = draw(() => hardText);
  if (draw(fc.nat, { max: 3 }) === 0) return JSON.stringify(text);
  const [literal = "", ...others] = text
    .split("${w}")
    .map((part) => part.replace(/[\\`]|\$(?=\{|$)/g, "\\$&").replaceAll("\\${flowDir}", "${flowDir}"));
  const wire = values.length > 0 && draw(fc.boolean) ? `\${${draw(fc.constantFrom, ...values)}}` : "";
  return `\`${[literal, ...others].join("${flowDir}")}${wire}\``;
}

function flow(region: Region, nodes: readonly string[], labelled: boolean): string {
  const { draw } = region;
  const items: string[] = labelled ? [JSON.stringify(draw(() => hardText))] : [];
  for (let at = 0; at < nodes.length;) {
    const size = draw(fc.integer, { min: 1, max: 3 });
    const group = nodes.slice(at, at + size);
    if (draw(fc.boolean)) items.push(...group);
    else
      items.push(
        `flow.fork(${group.map((id, index) => `flow(${[id, ...group.slice(index + 1)].join(", ")})`).join(", ")})`,
      );
    at += size;
  }
  return `flow(${items.join(", ")})`;
}
