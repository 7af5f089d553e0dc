import { expect, test } from "vitest";
import { judgeRedis } from "./redis.ts";

const info = (version: string, policy = "noeviction"): string =>
  `# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\n# Memory\r\nmaxmemory_policy:${policy}\r\n`;

test.each(["6.2.0", "6.2", "6.10.1", "7.0.15", "7.2.4", "10.0.0"])("B7: Redis %s is fit", (version) => {
  expect(judgeRedis(info(version), false)).toEqual({ kind: "fit", version });
});

test.each(["5.0.14", "6.0.16", "6.1.9", "2.8.4"])("B7: Redis %s is refused", (version) => {
  expect(judgeRedis(info(version), true)).toEqual({
    kind: "refused",
    problem: `Redis 6.2 or later is needed, this is ${version}`,
  });
});

test.each(["", "redis_version:x.y\r\n", "maxmemory_policy:noeviction\r\n"])(
  "B7: a server that does not say its version is refused: %j",
  (text) => expect(judgeRedis(text, true)).toMatchObject({ kind: "refused" }),
);

test("B1: a server that evicts keys is refused, unless that is allowed", () => {
  const evicting = info("7.0.15", "allkeys-lru");
  expect(judgeRedis(evicting, false)).toMatchObject({
    kind: "refused",
    problem: expect.stringContaining("maxmemory-policy is allkeys-lru") as string,
  });
  expect(judgeRedis(evicting, true)).toEqual({ kind: "fit", version: "7.0.15" });
});

test("B1: a server that does not say its policy is refused", () => {
  expect(judgeRedis("redis_version:7.0.15\r\n", false)).toMatchObject({ kind: "refused" });
});
