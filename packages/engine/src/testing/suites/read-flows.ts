import { describe, expect, test } from "vitest";
import { flowVersionOf } from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Flows and their versions. Each test has a store of its own. */
export function flowReadTests(get: GetStore): void {
  describe("flows", () => {
    test("S-16: pages give every flow once, each with its newest version", async () => {
      const names = ["b-flow", "a-flow", "c_flow", "a.flow", "0flow"];
      for (const flow of names) await get().requests.registerFlow(flowVersionOf({ flow }));
      await get().requests.registerFlow(flowVersionOf({ flow: "a-flow" }));
      const whole = await get().reads.flows({ limit: 50 });
      if (whole === "invalid_cursor") throw new Error(whole);
      expect(whole.items.map((item) => item.flow).sort()).toEqual([...names].sort());
      expect(whole.items.find((item) => item.flow === "a-flow")).toMatchObject({ newestVersion: 2 });
      expect(whole.items.find((item) => item.flow === "b-flow")).toMatchObject({ newestVersion: 1 });

      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await get().reads.flows({ limit: 2, ...(cursor === null ? {} : { cursor }) });
        if (page === "invalid_cursor") throw new Error(page);
        seen.push(...page.items.map((item) => item.flow));
        cursor = page.nextCursor;
      } while (cursor !== null && seen.length < 50);
      expect(seen).toEqual(whole.items.map((item) => item.flow));
    });

    test("S-16: a malformed cursor is refused; no flows are an empty page", async () => {
      expect(await get().reads.flows({ limit: 2 })).toEqual({ items: [], nextCursor: null });
      await get().requests.registerFlow(flowVersionOf());
      for (const cursor of ["x", "W10", "e30", "'; --"])
        expect(await get().reads.flows({ limit: 2, cursor })).toBe("invalid_cursor");
    });

    test("3.4: a version is read back as it was registered, the newest unless one is named", async () => {
      const source = 'export default flow("x\\u0000", /* \u2028 é */);\r\n';
      const irText = '{"schema":1,"nodes":{},"edges":[],"subflows":{},"run":null}';
      const one = flowVersionOf({
        source,
        irText,
        layout: '{"zz":[1,-0],"aa":[2.50,3]}',
        warnings: '[{"code":"D1"}]',
      });
      await get().requests.registerFlow(one);
      await get().requests.registerFlow(flowVersionOf({ flow: one.flow }));
      const { flow, digest, layout, warnings } = one;
      expect(await get().reads.flowVersionView(flow, 1)).toEqual({
        flow,
        version: 1,
        digest,
        source,
        irText,
        layout,
        warnings,
        createdAt: expect.stringMatching(/Z$/),
      });
      expect(await get().reads.flowVersionView(flow, null)).toMatchObject({
        version: 2,
        source: null,
        layout: null,
      });
      expect(await get().reads.flowVersionView(flow, 3)).toBeNull();
      expect(await get().reads.flowVersionView("no-such-flow", null)).toBeNull();
    });
  });
}
