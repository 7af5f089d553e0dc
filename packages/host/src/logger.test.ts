import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";

const CANARY = 'canary-Zq7/+x"y';
const KEY = "af_canary_0123456789";
const PASSWORD = encodeURIComponent(CANARY);

function capture(level = "trace"): { lines: string[]; logger: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  const secrets = [`postgres://app:${PASSWORD}@db/x`, null, KEY];
  return {
    lines,
    logger: createLogger({ name: "test", level, secrets, write: (line) => void lines.push(line) }),
  };
}

test("S-28: a secret planted anywhere in a log call is in no line", () => {
  const { lines, logger } = capture();
  const url = `postgres://app:${PASSWORD}@db:5432/x`;
  logger.info({ databaseUrl: url }, "field");
  logger.info({ config: { deep: { deeper: [url] } } }, "nested");
  logger.error({ err: new Error(`connect ${url}: refused`, { cause: new Error(CANARY) }) }, "error");
  logger.warn(`text with ${url}`);
  logger.info({ headers: { authorization: `Bearer ${KEY}`, cookie: `session=${KEY}` } }, "headers");
  logger.info({ req: { headers: { authorization: KEY } }, apiKey: KEY, password: CANARY }, "request");
  logger.child({ key: KEY }).info("child");
  expect(lines).toHaveLength(7);
  const all = lines.join("");
  for (const secret of [CANARY, JSON.stringify(CANARY).slice(1, -1), PASSWORD, KEY])
    expect(all).not.toContain(secret);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});

test("S-28: credentials that nobody announced are hidden by their form", () => {
  const { lines, logger } = capture();
  logger.info(
    {
      a: "redis://:unknown1@r:6379/0",
      b: "Bearer unknown2",
      request: { authorization: "unknown3" },
    },
    "x",
  );
  expect(lines.join("")).not.toMatch(/unknown[123]/);
  expect(lines.join("")).toContain("redis://:***@r:6379/0");
});

test("values stay as they are where nothing is secret, and the level is kept", () => {
  const { lines, logger } = capture("warn");
  logger.info("not written");
  logger.warn({ run: "r1", url: "http://127.0.0.1:4700/v1/runs?x=a@b", iteration: 3 }, "iteration failed");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    name: "test",
    msg: "iteration failed",
    run: "r1",
    iteration: 3,
    url: "http://127.0.0.1:4700/v1/runs?x=a@b",
  });
});
