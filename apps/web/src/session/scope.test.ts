import { expect, test } from "vitest";
import { may } from "./scope.ts";

test("S-19: a session may do what its key may; without keys everybody at the machine may", () => {
  const allowed = (scope: "read" | "run" | "admin" | null, required = true) => {
    const session = { required, key: scope === null ? null : { name: "k", scope } };
    return (["read", "run", "admin"] as const).filter((wanted) => may(session, wanted));
  };
  expect(allowed(null)).toEqual([]);
  expect(allowed("read")).toEqual(["read"]);
  expect(allowed("run")).toEqual(["read", "run"]);
  expect(allowed("admin")).toEqual(["read", "run", "admin"]);
  expect(allowed(null, false)).toEqual(["read", "run", "admin"]);
});
