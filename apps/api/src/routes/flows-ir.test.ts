import { expect, test } from "vitest";
import type { Finding, Ir } from "@agentflow/core";
import { countFlow } from "../testing/flow.ts";
import { testApi } from "../testing/test-api.ts";
import type { TestApi } from "../testing/test-api.ts";

const CALL = `const topic = flow.input("topic", "text");
const write = tool.nodejs("Write", { topic: topic.value }, \`echo \${topic}\`);
export const draft = flow.subflow("Draft", { topic }, flow(write), { text: write.result });
const b = flow.call("B", draft, { topic: "tea" });
const a = flow.call("A", draft, { topic: b.text });
const shown = display.markdown("Shown", { content: a.text });
export const run = flow("Run", b, a, shown);
`;

/** What a version shows of its IR, as the exact text of the answer. */
async function irText(api: TestApi, name: string): Promise<string> {
  const { body } = await api.get(`/v1/flows/${name}`);
  return body.slice(body.indexOf('"ir":'), body.indexOf('"layout":'));
}

/** Registers the source, and its IR under another name. */
async function both(source: string): Promise<{ api: TestApi; ir: Ir }> {
  const api = await testApi();
  const { files } = countFlow;
  await api.post("/v1/flows", { name: "source", source, files });
  const { ir } = (await api.get("/v1/flows/source")).json();
  const byIr = await api.post("/v1/flows", { name: "ir", ir, files });
  expect(byIr.statusCode, byIr.body).toBe(201);
  return { api, ir };
}

test.each([
  ["a loop", countFlow.source],
  ["subflows and calls", CALL],
  ["a flow with warnings", CALL.replace('export const run = flow("Run", b, a, shown);', "")],
])(
  "F-19: %s registered by its IR is byte for byte what it is registered by its source",
  async (_, source) => {
    const { api } = await both(source);
    expect(await irText(api, "ir")).toBe(await irText(api, "source"));
    const said = async (name: string) => {
      const { warnings } = (await api.get(`/v1/flows/${name}`)).json() as { warnings: Finding[] };
      return warnings.map(({ code, severity, node, field, message }) => ({
        code,
        severity,
        node,
        field,
        message,
      }));
    };
    expect(await said("ir")).toEqual(await said("source"));
  },
);

test.each<[what: string, change: (ir: Ir) => void, says: string]>([
  [
    "a step from a node that no chain reaches",
    (ir) => {
      ir.nodes["stray"] = { ...ir.nodes["write"]!, inputs: {}, script: "true" };
      ir.edges.push({ from: { node: "stray", slot: "next" }, to: { node: "shown", slot: "prev" } });
    },
    "The edge `stray.next` → `shown.prev`",
  ],
  [
    "a free input that nothing is wired to",
    (ir) => (ir.nodes["write"]!.inputs["more"] = "json"),
    "Node `write`",
  ],
])(
  "F-18: an IR with %s could not be given back as a flow file: D06, nothing stored",
  async (_, change, says) => {
    const { api, ir } = await both(CALL);
    change(ir);
    const answer = await api.post("/v1/flows", { name: "changed", ir });
    expect(answer.statusCode, answer.body).toBe(422);
    expect(answer.json().details.findings).toEqual([
      expect.objectContaining({ code: "D06", severity: "error", message: expect.stringContaining(says) }),
    ]);
    expect((await api.get("/v1/flows/changed")).statusCode).toBe(404);
    expect((await api.post("/v1/flows/lint", { name: "changed", ir })).json().errors).toHaveLength(1);
  },
);

test("F-19, P-68: an IR is linted as its source is, and only lint's errors are told when there are some", async () => {
  const { api, ir } = await both(CALL);
  ir.edges.push({ from: { node: "topic", slot: "value" }, to: { node: "shown", slot: "prev" } });
  const answer = await api.post("/v1/flows", { name: "changed", ir });
  const codes = (answer.json().details.findings as Finding[]).map(({ code }) => code);
  expect(codes).toEqual(["D13", "D23"]);
});
