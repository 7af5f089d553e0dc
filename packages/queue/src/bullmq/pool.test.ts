import { expect, test } from "vitest";
import { CalmClient, withSearchPath } from "./pool.ts";

const options = (url: string): string | null => new URL(withSearchPath(url)).searchParams.get("options");

test("S-3: BullMQ's schema is the search path, whatever else the address asks for", () => {
  expect(options("postgres://u:p@h:1/db")).toBe("-c search_path=bullmq");
  expect(options("postgres://h/db?options=-c%20statement_timeout%3D5s&sslmode=disable")).toBe(
    "-c statement_timeout=5s -c search_path=bullmq",
  );
});

test("user, password, host and other settings of the address stay", () => {
  const url = new URL(withSearchPath("postgres://u:p%40ss@h:1/db?sslmode=disable"));
  expect([url.username, url.password, url.host, url.pathname]).toEqual(["u", "p%40ss", "h:1", "/db"]);
  expect(url.searchParams.get("sslmode")).toBe("disable");
});

test("S-27: a lost connection never throws, also after BullMQ took all listeners off", () => {
  const client = new CalmClient();
  expect(client.emit("error", new Error("terminated"))).toBe(true);
  expect(client.removeAllListeners().emit("error", new Error("terminated"))).toBe(true);
});
