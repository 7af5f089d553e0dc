import { describe, expect, test } from "vitest";
import { digestOf, flowVersionOf, newId } from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Registering flow versions (3.4 POST /v1/flows). */
export function flowTests(get: GetStore): void {
  describe("registering a flow", () => {
    test("L-1: versions are numbered from 1 and stay as they were registered", async () => {
      const irText =
        '{"schema":1,"nodes":{"zz":{"definition":"display.html","label":"Zz","script":null,"scriptRef":null,"body":null,"bodyRef":null,"pins":{},"inputs":{},"outputs":{},"attributes":{}},"aa":{"definition":"display.html","label":"Aa","script":null,"scriptRef":null,"body":null,"bodyRef":null,"pins":{},"inputs":{},"outputs":{},"attributes":{}}},"edges":[],"subflows":{},"run":null}';
      const one = flowVersionOf({ irText });
      const two = flowVersionOf({ flow: one.flow });
      expect(await get().requests.registerFlow(one)).toEqual({ kind: "created", version: 1 });
      expect(await get().requests.registerFlow(two)).toEqual({ kind: "created", version: 2 });
      const first = await get().requests.flowVersion(one.flow, 1);
      expect(first).toEqual({
        id: one.id,
        flow: one.flow,
        version: 1,
        ir: JSON.parse(irText),
        bundleDigest: one.bundle.digest,
      });
      expect(Object.keys(first!.ir.nodes)).toEqual(["zz", "aa"]);
      expect(await get().requests.flowVersion(one.flow, null)).toMatchObject({ id: two.id, version: 2 });
      expect(await get().requests.flowVersionById(one.id)).toEqual(first);
    });

    test("3.4: what is equal to the newest version is that version; equal to an older one it is a new one", async () => {
      const one = flowVersionOf();
      await get().requests.registerFlow(one);
      expect(await get().requests.registerFlow({ ...one, id: newId() })).toEqual({
        kind: "unchanged",
        version: 1,
      });
      await get().requests.registerFlow(flowVersionOf({ flow: one.flow }));
      expect(await get().requests.registerFlow({ ...one, id: newId() })).toEqual({
        kind: "created",
        version: 3,
      });
      expect(await get().requests.flowVersion(one.flow, 4)).toBeNull();
    });

    test("P-72: a layout replaces the one its writer saw, of the newest version only; nothing else of it changes", async () => {
      const one = flowVersionOf({ layout: null });
      const { flow } = one;
      await get().requests.registerFlow(one);
      const save = (layout: string, before: string | null, version = 1) =>
        get().requests.saveLayout({ flow, version, layout, before: { layout: before } });
      const before = await get().reads.flowVersionView(flow, 1);
      expect(await save("{}", "[]")).toBe(false);
      expect(await save('{"zz":1,"aa":-0}', null)).toBe(true);
      expect(await save("{}", null)).toBe(false);
      expect(await get().reads.flowVersionView(flow, 1)).toEqual({ ...before, layout: '{"zz":1,"aa":-0}' });
      expect(await get().requests.saveLayout({ flow, version: 1, layout: "{}", before: null })).toBe(true);
      expect(await save("[]", "{}", 2)).toBe(false);
      await get().requests.registerFlow(flowVersionOf({ flow }));
      expect(await save("[]", "{}")).toBe(false);
      expect(await get().requests.saveLayout({ flow: "gone", version: 1, layout: "{}", before: null })).toBe(
        false,
      );
    });

    test("P-72: of 10 layouts for one base at once one is saved", async () => {
      const { flow, ...rest } = flowVersionOf({ layout: null });
      await get().requests.registerFlow({ flow, ...rest });
      const saved = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          get().requests.saveLayout({ flow, version: 1, layout: `${index}`, before: { layout: null } }),
        ),
      );
      expect(saved.filter(Boolean)).toHaveLength(1);
      expect((await get().reads.flowVersionView(flow, 1))?.layout).toBe(`${saved.indexOf(true)}`);
    });

    test("3.4, P-72: a base that is not the newest version is refused and nothing is stored", async () => {
      const one = flowVersionOf();
      await get().requests.registerFlow(one);
      const based = (baseVersion: number) => flowVersionOf({ flow: one.flow, baseVersion });
      expect(await get().requests.registerFlow(based(2))).toEqual({ kind: "base_outdated", newest: 1 });
      expect(await get().requests.registerFlow(based(1))).toEqual({ kind: "created", version: 2 });
      const late = based(1);
      expect(await get().requests.registerFlow(late)).toEqual({ kind: "base_outdated", newest: 2 });
      expect(await get().requests.flowVersionById(late.id)).toBeNull();
    });

    test("P-72: of 10 versions with one base at once one is registered", async () => {
      const one = flowVersionOf();
      await get().requests.registerFlow(one);
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () =>
          get().requests.registerFlow(flowVersionOf({ flow: one.flow, baseVersion: 1 })),
        ),
      );
      expect(outcomes.filter((outcome) => outcome.kind === "created")).toEqual([
        { kind: "created", version: 2 },
      ]);
      expect(outcomes.filter((outcome) => outcome.kind === "base_outdated")).toHaveLength(9);
    });

    test("S-14: versions of a new flow registered at once get numbers without gaps", async () => {
      const flow = `flow-${newId()}`;
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => get().requests.registerFlow(flowVersionOf({ flow }))),
      );
      const versions = outcomes.map((outcome) => (outcome.kind === "created" ? outcome.version : 0));
      expect(versions.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    test("3.4: equal versions registered at once are one version", async () => {
      const one = flowVersionOf();
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => get().requests.registerFlow({ ...one, id: newId() })),
      );
      expect(outcomes.filter((outcome) => outcome.kind === "created")).toEqual([
        { kind: "created", version: 1 },
      ]);
      expect(outcomes.filter((outcome) => outcome.kind === "unchanged")).toHaveLength(9);
    });

    test("P-66: a bundle is kept byte for byte under its digest, once for all versions that share it", async () => {
      const archive = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256);
      const bundle = { digest: digestOf(newId()), archive, files: 3 };
      await get().requests.registerFlow(flowVersionOf({ bundle }));
      await get().requests.registerFlow(flowVersionOf({ bundle }));
      const stored = await get().requests.bundle(bundle.digest);
      expect(Buffer.compare(stored!, archive)).toBe(0);
      expect(await get().requests.bundle(digestOf("no such bundle"))).toBeNull();
    });

    test("3.4: there is no version of an unknown flow", async () => {
      expect(await get().requests.flowVersion(`flow-${newId()}`, null)).toBeNull();
      expect(await get().requests.flowVersion(`flow-${newId()}`, 1)).toBeNull();
      expect(await get().requests.flowVersionById(newId())).toBeNull();
    });
  });
}
