import { describe, expect, test } from "vitest";
import { createKey, findKey, seedAdminKey } from "../../keys.ts";
import { caller, digestOf, newId } from "./fixtures.ts";
import { freshStore } from "./harness.ts";
import type { MakeStore } from "./harness.ts";

/** Registers the tests every `KeyStore` must pass; `name` tells the stores apart. */
export function keyStoreSuite(name: string, makeStore: MakeStore): void {
  describe(`keys: ${name}`, () => {
    const get = freshStore(makeStore);
    const deps = () => ({ keys: get().keys, newId });
    const create = (given: { name: string; scope?: "read" | "run" | "admin" }) =>
      createKey(deps(), { scope: "run", ...given, caller });

    test("S-19: a key is found by its text, which is stored nowhere", async () => {
      expect(await get().keys.any()).toBe(false);
      const made = await create({ name: "ci" });
      expect(made).toMatchObject({ name: "ci", scope: "run", key: expect.stringMatching(/^afk_[\w-]{43}$/) });
      const { key, id } = made!;
      const found = await findKey(get().keys, key);
      expect(found).toEqual({
        ...{ id, name: "ci", scope: "run", hint: key.slice(0, 8), revokedAt: null },
        createdAt: expect.stringMatching(/Z$/),
      });
      expect(await get().keys.any()).toBe(true);
      const listed = await get().keys.list();
      expect(listed).toEqual([found]);
      expect(JSON.stringify(listed)).not.toContain(key.slice(8));
      for (const wrong of ["", key.slice(0, -1), `${key}x`, digestOf(key)])
        expect(await findKey(get().keys, wrong)).toBeNull();
    });

    test("S-19: a revoked key is found no longer, is listed as revoked, and its name is free again", async () => {
      const { key, id } = (await create({ name: "ci" }))!;
      expect(await create({ name: "ci" })).toBeNull();
      expect(await get().keys.revoke("ci", caller)).toMatchObject({
        id,
        revokedAt: expect.stringMatching(/Z$/),
      });
      expect(await findKey(get().keys, key)).toBeNull();
      expect(await get().keys.any()).toBe(false);
      expect(await get().keys.revoke(id, caller)).toBeNull();
      const other = (await create({ name: "ci" }))!;
      expect(await get().keys.revoke(other.id, caller)).toMatchObject({ name: "ci" });
      expect((await get().keys.list()).map((one) => one.id)).toEqual([other.id, id]);
    });

    test("S-22: making and revoking a key leave an audit row each, without its secret", async () => {
      const { key } = (await create({ name: "ci" }))!;
      await create({ name: "ci" });
      await get().keys.revoke("ci", caller);
      await get().keys.revoke("nobody", caller);
      const audits = await get().audits(null);
      expect(audits.map(({ action, actor, remote }) => ({ action, actor, remote }))).toEqual([
        { action: "key_create", ...caller },
        { action: "key_revoke", ...caller },
      ]);
      expect(JSON.stringify(audits)).not.toContain(key.slice(8));
    });

    test("S-19: a session is its key's, until it ends, the key is revoked, or its time is over", async () => {
      const key = (await create({ name: "ci" }))!;
      const [stored] = await get().keys.list();
      const begin = (hash: string, ttlMs: number) =>
        get().keys.beginSession({ hash, keyId: key.id, ttlMs, remote: "192.0.2.7" });
      expect(await begin(digestOf("a"), 60_000)).toBe(true);
      expect(await begin(digestOf("b"), 60_000)).toBe(true);
      expect(await begin(digestOf("c"), 0)).toBe(true);
      expect(await get().keys.findSession(digestOf("a"))).toEqual(stored);
      expect(await get().keys.findSession(digestOf("c"))).toBeNull();
      expect(await get().keys.findSession(digestOf("d"))).toBeNull();
      await get().keys.endSession(digestOf("a"));
      expect(await get().keys.findSession(digestOf("a"))).toBeNull();
      expect(await get().keys.findSession(digestOf("b"))).toEqual(stored);
      await get().keys.revoke("ci", caller);
      expect(await get().keys.findSession(digestOf("b"))).toBeNull();
      expect(await begin(digestOf("e"), 60_000)).toBe(false);
      const begun = (await get().audits(null)).filter(({ action }) => action === "session_begin");
      expect(begun.map(({ actor, remote }) => [actor, remote])).toEqual(
        Array.from({ length: 3 }, () => ["key:ci", "192.0.2.7"]),
      );
    });

    test("S-19: an operator's own key is stored once, however many processes begin with it, and stays revoked", async () => {
      const text = "0123456789abcdef0123456789abcdef";
      await Promise.all(Array.from({ length: 5 }, () => seedAdminKey(deps(), text, caller)));
      expect(await get().keys.list()).toHaveLength(1);
      expect(await findKey(get().keys, text)).toMatchObject({ scope: "admin" });
      await get().keys.revoke((await get().keys.list())[0]!.id, caller);
      await seedAdminKey(deps(), text, caller);
      expect(await findKey(get().keys, text)).toBeNull();
    });
  });
}
