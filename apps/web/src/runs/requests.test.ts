import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { checkPayload, curlText, resumeBody } from "./requests.ts";

test("K-2: white space is no payload, and JSON is held to the server's policy", () => {
  expect(checkPayload(" \n")).toEqual({ kind: "empty" });
  expect(checkPayload('{"a":1.0}')).toEqual({ kind: "valid", type: "object", bytes: 9 });
  expect(checkPayload('"ü"')).toEqual({ kind: "valid", type: "string", bytes: 4 });
  for (const text of ["{", "{'a':1}", '{"a":1,"a":2}', "1 2", "undefined", `"${"x".repeat(1_048_576)}"`])
    expect(checkPayload(text).kind, text.slice(0, 20)).toBe("broken");
});

test("K-2 L-46: the payload stands in the body exactly as it was typed", () => {
  expect(resumeBody('{"n": 1.0,  "b":1E2}', 4)).toBe('{"nextIteration":4,"payload":{"n": 1.0,  "b":1E2}}');
  expect(resumeBody("  ", null)).toBe("{}");
});

test("K-2: copied as curl, a shell passes the same words on", () => {
  const body = resumeBody(`{"note":"it's $HOME \`x\`"}`, 2);
  const command = curlText("http://127.0.0.1:4700", "POST", "/v1/runs/1/resume", body);
  const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  const words = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
  expect(words).toEqual([
    ...["-X", "POST", "http://127.0.0.1:4700/v1/runs/1/resume"],
    ...["-H", "content-type: application/json", "-d", body],
  ]);
});
