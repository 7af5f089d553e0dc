import { describe, expect, test } from "vitest";
import { caller, cancelled, newId, parked, started } from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Who did what (S-22). */
export function auditReadTests(get: GetStore): void {
  describe("the audit", () => {
    const rows = async (filter: object = {}) => {
      const page = await get().reads.audit({ limit: 100, ...filter });
      if (page === "invalid_cursor") throw new Error("expected a page");
      return page;
    };

    test("S-22: acts are told newest first, page by page, by run, action and actor", async () => {
      const { runId } = await parked(get());
      await get().requests.cancelRun(runId, caller, cancelled);
      const other = await started(get());
      await get().requests.cancelRun(other.runId, { actor: "somebody else", remote: "" }, cancelled);
      await get().requests.deleteRun(runId, caller);
      const { items } = await rows();
      expect(items.map(({ action, runId: id, actor }) => [action, id, actor])).toEqual([
        ["delete", runId, caller.actor],
        ["cancel", other.runId, "somebody else"],
        ["cancel", runId, caller.actor],
      ]);
      expect((await rows({ runId })).items).toHaveLength(2);
      expect((await rows({ action: "cancel", actor: caller.actor })).items).toHaveLength(1);
      expect((await rows({ runId: newId() })).items).toEqual([]);
      expect((await rows({ actor: "a\0b" })).items).toEqual([]);
      const first = await rows({ limit: 2 });
      const second = await rows({ limit: 2, cursor: first.nextCursor! });
      expect([...first.items, ...second.items]).toEqual(items);
      expect(second.nextCursor).toBeNull();
      expect(await get().reads.audit({ limit: 2, cursor: "bm9uZQ" })).toBe("invalid_cursor");
    });
  });
}
