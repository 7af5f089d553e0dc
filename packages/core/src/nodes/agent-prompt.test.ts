import { describe, expect, test } from "vitest";
import { composePrompt } from "./agent-prompt.ts";
import type { PromptParts } from "./agent-prompt.ts";
import { readAgentAnswer } from "./agent-answer.ts";

function compose(text: string, inputs: Record<string, string> = {}, given: Partial<PromptParts> = {}) {
  const constants = new Map([["flowDir", "/flow"]]);
  const parts = { text, inputs: new Map(Object.entries(inputs)), constants, outputs: [], ...given };
  const made = composePrompt(parts);
  return made.ok ? made.prompt : made.failure.code;
}

describe("an agent's prompt", () => {
  test("F-22: values stand verbatim, are not rendered again, and inputs win over constants", () => {
    expect(compose("${a} in ${flowDir}", { a: "${flowDir} $(x)" })).toBe("${flowDir} $(x) in /flow");
    expect(compose("${flowDir}", { flowDir: "mine" })).toBe("mine");
  });

  test("F-27: an unknown placeholder is config_invalid, a blank one placeholder_blank", () => {
    expect(compose("${what}")).toBe("config_invalid");
    expect(compose("${a}", { a: " \n" })).toBe("placeholder_blank");
  });

  test("F-22: ${USER_PROMPT} is the input prompt in a frame, else the text around it; an input of that name wins", () => {
    expect(compose("Kindly: ${USER_PROMPT}", { prompt: "Sum up." })).toBe("Kindly: Sum up.");
    expect(compose("Kindly: ${USER_PROMPT}", { USER_PROMPT: "own", prompt: "other" })).toBe(
      'Kindly: own\n\n<input name="prompt">\nother\n</input>',
    );
    expect(compose("Kindly ${a}: ${USER_PROMPT}", { a: "A" })).toBe("Kindly A: Kindly A:");
    expect(compose("${USER_PROMPT}")).toBe("placeholder_blank");
  });

  test("F-27: inputs that the text does not name follow it, blank ones left out; neither text nor input is an error", () => {
    expect(compose("Look.", { a: "1", none: "", b: "2" })).toBe(
      'Look.\n\n<input name="a">\n1\n</input>\n\n<input name="b">\n2\n</input>',
    );
    expect(compose(" ", { a: "1" })).toBe('<input name="a">\n1\n</input>');
    expect(compose(" ", { a: " " })).toBe("node_failed");
  });

  test("F-6: declared outputs are asked for last", () => {
    expect(compose("Look.", {}, { outputs: ["title", "tags"] })).toMatch(
      /^Look\.\n\n.*JSON object.*"title", "tags"/,
    );
  });
});

describe("an agent's answer", () => {
  const read = (answer: string, ...free: string[]) => {
    const end = readAgentAnswer(answer, free);
    return end.ok ? Object.fromEntries(end.outputs) : end.failure.message;
  };

  test("F-26: without declared outputs any text is the result, trimmed", () => {
    expect(read(" a\n")).toEqual({ result: "a" });
    expect(read("")).toEqual({ result: "" });
  });

  test("F-6: members become texts: characters of a string, exact JSON of all else, blank for null", () => {
    const answer = String.raw`{"a":"x\ny","b":[1.0, 2],"c":null,"__proto__":true}`;
    expect(readAgentAnswer(answer, ["a", "b", "c", "__proto__"])).toEqual({
      ok: true,
      outputs: new Map([
        ["result", answer],
        ["a", "x\ny"],
        ["b", "[1.0,2]"],
        ["c", ""],
        ["__proto__", "true"],
      ]),
    });
  });

  test("F-6: one code fence around the object is no harm, text around it is", () => {
    expect(read('```json\n{"a":"1"}\n```', "a")).toMatchObject({ a: "1" });
    expect(read('Here: {"a":"1"}', "a")).toMatch(/no JSON object.*Here/);
  });

  test("F-6: the message shows start and end of a long answer and is short itself", () => {
    const message = read(`START ${"x".repeat(100_000)} END`, "a");
    expect(message).toMatch(/START.*END/s);
    expect(message.length).toBeLessThan(1000);
  });
});
