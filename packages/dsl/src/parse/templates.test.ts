import { splitTemplate } from "@agentflow/core";
import { describe, expect, it } from "vitest";
import { irOf, wires } from "../testing/read.ts";

const NODES = `const a = agent.test("a", {}, "x");\nconst { title, tags: t2 } = a;\n`;

/** Script, wires into it and free slots of a command with this template and these pins. */
function command(template: string, pins = "{}") {
  const ir = irOf(`${NODES}const t = tool.nodejs("t", ${pins}, \`${template}\`);`);
  const { script, inputs } = ir.nodes["t"] ?? {};
  return { script, inputs, edges: wires(ir) };
}

describe("templates of scripts and prompts (F-8)", () => {
  it("F-8: own slots and constants stay placeholders", () => {
    expect(command("node ${flowDir}/x ${word} ${USER_PROMPT}", '{ word: "w" }')).toEqual({
      script: "node ${flowDir}/x ${word} ${USER_PROMPT}",
      inputs: { word: "text" },
      edges: [],
    });
  });

  it("F-8: node.slot becomes a slot named after the node and an edge", () => {
    expect(command("echo ${a.result} ${a.result}")).toEqual({
      script: "echo ${a} ${a}",
      inputs: { a: "text" },
      edges: ["a.result → t.a"],
    });
  });

  it("F-8: a second slot of the same node is named node_slot", () => {
    expect(command("${a.result} ${a.title}")).toEqual({
      script: "${a} ${a_title}",
      inputs: { a: "text", a_title: "text" },
      edges: ["a.result → t.a", "a.title → t.a_title"],
    });
  });

  it("F-8: a destructured variable becomes a slot of its own name", () => {
    expect(command("${title} ${t2}")).toEqual({
      script: "${title} ${t2}",
      inputs: { t2: "text", title: "text" },
      edges: ["a.tags → t.t2", "a.title → t.title"],
    });
  });

  it("F-8: an own slot wins over a variable of the same name", () => {
    expect(command("${title}", '{ title: "w" }')).toEqual({
      script: "${title}",
      inputs: { title: "text" },
      edges: [],
    });
  });

  it("F-8: a loop's script gets such slots too, though its other slots are fixed", () => {
    const ir = irOf(`${NODES}const l = control.while("l", {}, \`x \${a.result} \${state}\`);`);
    expect(ir.nodes["l"]).toMatchObject({ script: "x ${a} ${state}", inputs: { a: "text" } });
  });

  it("D61: a name that is nothing stays as it is, for lint to say so", () => {
    expect(command("${HOME}").script).toBe("${HOME}");
  });

  it("F-8: an escaped dollar is stored so that it is read as literal text", () => {
    const { script } = command("\\${HOME} $HOME $\\{x} \\${a}${a.result} $(date) $${a.result}");
    expect(script).toBe("$${HOME} $HOME $${x} $${a}${a} $(date) $$${a}");
    expect(splitTemplate(script ?? "")).toMatchObject([
      { kind: "literal", text: "${HOME} $HOME ${x} ${a}" },
      { kind: "placeholder", name: "a" },
      { kind: "literal", text: " $(date) $" },
      { kind: "placeholder", name: "a" },
    ]);
  });

  it("F-8: a plain string is stored as it stands", () => {
    expect(irOf('const t = tool.nodejs("t", {}, "${a} $${b} \\\\n");').nodes["t"]?.script).toBe(
      "${a} $${b} \\n",
    );
  });

  it("F-8: the cooked text counts: escapes are characters, CRLF is one line feed", () => {
    expect(command("a\\tb\r\nc \\u00e9").script).toBe("a\tb\nc é");
  });
});
