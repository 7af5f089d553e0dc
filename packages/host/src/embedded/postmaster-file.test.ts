import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { disarmPostmasterFile, readPostmaster, runningPostmaster } from "./postmaster-file.ts";

let db: string;
let file: string;
beforeEach(() => {
  db = mkdtempSync(join(tmpdir(), "db-"));
  file = join(db, "postmaster.pid");
});
afterEach(() => rmSync(db, { recursive: true }));

test("pid, port and status are read as PostgreSQL writes them", () => {
  expect(readPostmaster(db)).toBeNull();
  writeFileSync(file, `4711\n${db}\n1790000000\n40123\n\n127.0.0.1\n  123 456\nready   \n`);
  expect(readPostmaster(db)).toEqual({ pid: 4711, port: 40_123, ready: true });
  writeFileSync(file, `4711\n${db}\n1790000000\n40123\n\n\n`);
  expect(readPostmaster(db)).toEqual({ pid: 4711, port: 40_123, ready: false });
});

test("a leftover whose number belongs to another process is not taken for a server", () => {
  writeFileSync(file, `${process.pid}\n${db}\n1790000000\n40123\n\n127.0.0.1\n  123 456\nready   \n`);
  expect(runningPostmaster(db)).toBeNull();
});

test("a leftover is made harmless but keeps what PostgreSQL checks its shared memory by", () => {
  writeFileSync(file, `${process.pid}\n${db}\n1790000000\n40123\n\n127.0.0.1\n  123 456\nready   \n`);
  disarmPostmasterFile(db);
  expect(readFileSync(file, "utf8")).toBe(
    `2147483647\n${db}\n1790000000\n40123\n\n127.0.0.1\n  123 456\nready   \n`,
  );
});

test("an empty leftover of a power failure is removed", () => {
  writeFileSync(file, "");
  disarmPostmasterFile(db);
  expect(readdirSync(db)).toEqual([]);
});
