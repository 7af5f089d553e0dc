import { describe, expect, it } from "vitest";
import { parseWrapper } from "./wrapper.ts";

describe("AGENTFLOW_SCRIPT_WRAPPER", () => {
  it("S-20: is split as a shell would split it", () => {
    expect(parseWrapper(`sh -c 'exec "$@"' "a b" c\\ d ''`, "/nowhere:/bin")).toEqual([
      "/bin/sh",
      "-c",
      'exec "$@"',
      "a b",
      "c d",
      "",
    ]);
    expect(parseWrapper("/bin/sh -x", "")).toEqual(["/bin/sh", "-x"]);
  });

  it("S-20: blank is no wrapper", () => {
    expect(parseWrapper("", "/bin")).toEqual([]);
    expect(parseWrapper("  \n", "/bin")).toEqual([]);
  });

  it("S-20: a program that is not there, a relative path, a folder and an open quote are refused with a sentence", () => {
    expect(() => parseWrapper("no-such-sandbox --x", "/bin")).toThrow('"no-such-sandbox"');
    expect(() => parseWrapper("./sandbox", "/bin")).toThrow("AGENTFLOW_SCRIPT_WRAPPER");
    expect(() => parseWrapper("/tmp", "/bin")).toThrow("AGENTFLOW_SCRIPT_WRAPPER");
    expect(() => parseWrapper("sh 'x", "/bin")).toThrow("quote");
  });
});
