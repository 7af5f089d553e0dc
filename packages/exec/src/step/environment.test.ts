import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { sharedEnvironment } from "./environment.ts";

describe("the environment that steps share", () => {
  const worker = {
    PATH: `/usr/bin:${dirname(process.execPath)}`,
    HOME: "/home/a",
    LANG: "C.UTF-8",
    TZ: "UTC",
    DATABASE_URL: "postgres://secret",
    NODE_OPTIONS: "--x",
    USER: "a",
  };

  it("F-24, D5: takes PATH, HOME, LANG and TZ of the worker and nothing else", () => {
    expect(sharedEnvironment({ base: worker, listed: {} })).toEqual({
      PATH: worker.PATH,
      HOME: "/home/a",
      LANG: "C.UTF-8",
      TZ: "UTC",
    });
  });

  it("F-24: adds what the operator lists", () => {
    expect(
      sharedEnvironment({ base: worker, listed: { OPENAI_API_KEY: "k", TZ: "Asia/Kathmandu" } }),
    ).toMatchObject({ OPENAI_API_KEY: "k", TZ: "Asia/Kathmandu" });
  });

  it.each([
    "DATABASE_URL",
    "REDIS_URL",
    "AGENTFLOW_API_KEY",
    "AGENTFLOW_SECRET_KEY",
    "AGENTFLOW_ADMIN_KEY_FILE",
  ])("F-24: refuses %s even when it is listed", (name) => {
    expect(() => sharedEnvironment({ base: worker, listed: { [name]: "x" } })).toThrow(name);
  });

  it("F-23: finds this Node last, and system programs when the worker has no PATH", () => {
    expect(sharedEnvironment({ base: { PATH: "/opt/x" }, listed: {} })).toEqual({
      PATH: `/opt/x:${dirname(process.execPath)}`,
    });
    expect(sharedEnvironment({ base: {}, listed: {} })["PATH"]?.split(":")).toEqual(
      expect.arrayContaining(["/usr/bin", "/bin", dirname(process.execPath)]),
    );
  });
});
