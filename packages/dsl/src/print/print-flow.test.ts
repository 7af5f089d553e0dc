import { describe, expect, it } from "vitest";
import { irOf, testRegistry } from "../testing/read.ts";
import { printFlow } from "./print-flow.ts";

/** What is printed behind the import line. */
function printed(text: string, files: readonly string[] = []): string {
  return printFlow(irOf(text, files), testRegistry).replace(/^import .*\n\n/, "");
}

describe("printing (F-18)", () => {
  it("F-18: the text is the one an author would write", () => {
    expect(
      printFlow(
        irOf(`export const run = flow("Run", t);
      const { result } = t;
      const t = tool.nodejs("T", { b: p.value, a: [ 1,2 ] }, \`echo \${b} \${p.value} \\\${HOME}\`), p = provide.str({ value: 'it"s' });`),
        testRegistry,
      ),
    ).toBe(
      `import { flow, provide, tool } from "agentflow/flow";

const t = tool.nodejs("T", { a: [1,2], b: p.value, p: p.value }, \`echo \${b} \${p} \\\${HOME}\`);
const p = provide.text("p", { value: "it\\"s" });
export const run = flow("Run", t);
`,
    );
  });

  it("F-18: long objects stand on lines of their own", () => {
    const value = "x".repeat(80);
    expect(printed(`const t = tool.nodejs("t", { a: "${value}", b: 1 });`)).toBe(
      `const t = tool.nodejs("t", {\n  a: "${value}",\n  b: 1,\n});\n`,
    );
  });

  it("F-18: script ends, line separators, bidirectional controls and control characters are escaped", () => {
    const text = printed(
      'const t = tool.nodejs("</script><!--\\u2028\\u202e\\u0000é", { j: ["<\\u2028/SCRIPT"], k: ["</SCRIPT"] }, `</script>\\u2029\\`\\r\\0\n`);',
    );
    expect(text).toBe(
      'const t = tool.nodejs("\\u{3c}/script>\\u{3c}!--\\u{2028}\\u{202e}\\u0000é", { j: ["<\\u2028/SCRIPT"], k: ["\\u{3c}/SCRIPT"] }, `\\u{3c}/script>\\u{2029}\\`\\x0d\\x00\n`);\n',
    );
  });

  it("F-8: a text whose placeholders a template would read differently is printed as a plain string", () => {
    expect(printed('const t = tool.nodejs("t", {}, "${HOME} ${a.b}");')).toBe(
      'const t = tool.nodejs("t", "${HOME} ${a.b}");\n',
    );
  });

  it("F-8: a loop's template slot is written where it came from", () => {
    const text =
      'const a = provide.text("a", { value: "1" });\nconst l = control.while("l", `x ${a.value} ${state}`);\n';
    expect(printed(text)).toBe(text);
  });

  it("F-6: free outputs are declared under names that nothing else has", () => {
    expect(
      printed(
        'const n = agent.test("n"); const { title: x, cwd: y, o: z } = n; const title = provide.text("t"); const n_output = provide.text("u");',
      ),
    ).toBe(
      'const n = agent.test("n");\nconst { title: n_output2, cwd: n_output3, o } = n;\nconst title = provide.text("t");\nconst n_output = provide.text("u");\n',
    );
  });

  it("F-9: an if with only an else has an empty first branch", () => {
    expect(
      printed(
        'const a = tool.nodejs("a"); const i = control.if("i", { prediction: true }, flow(), flow(a));',
      ),
    ).toBe(
      'const a = tool.nodejs("a");\nconst i = control.if("i", { prediction: true }, flow(), flow(a));\n',
    );
  });

  it("F-11: every form of a loop", () => {
    const text = `const a = tool.nodejs("a");
export const s = flow.subflow("s", {}, flow(a), {});

const l1 = control.while("l1", s, s);
const l2 = control.while("l2", null, s, "true", file("x"));
const l3 = control.while("l3", file("x"));
`;
    expect(printed(text, ["x"])).toBe(text.replace('"true"', "`true`"));
  });
});
