import { LINT_CODES } from "@agentflow/core";
import type { LintCode } from "@agentflow/core";
import { expect, test } from "vitest";
import { lintFolder } from "../commands/flow.ts";
import { FILES, HERE } from "../testing/lint/fixture.ts";
import type { LintFixture } from "../testing/lint/fixture.ts";
import { lintFixtures } from "../testing/lint/fixtures.ts";

const INTRODUCTION = `# What lint says

\`agentflow flow dsl lint <dir>\` and \`POST /v1/flows/lint\` tell everything that is wrong with a flow at once. A finding has a
code, a severity, the node and the field it is about, line and column, and a sentence that says how to mend it. With an
error nothing is registered; a warning is kept with the version.

Codes are never reused. The lines with \`-\` are wrong, those with \`+\` are right; the sentence is what lint says about them.
`;

const EXPLAINED: Partial<Record<LintCode, string>> = {
  D14: "Only an IR that comes as JSON can have this: a flow file that writes a pin twice is D06.",
  D43: "No built-in node waits; a node type of your own that sets `pauses` may only stand in the parent graph.",
};

/** One code with what it means and the mistake and its mending of each of its fixtures. */
function section(code: LintCode): string {
  const [severity, meaning] = LINT_CODES[code];
  const examples = lintFixtures.filter((fixture) => fixture.code === code).map(example);
  const more = EXPLAINED[code];
  return [`## ${code}`, `${severity}: ${meaning}`, ...(more === undefined ? [] : [more]), ...examples].join(
    "\n\n",
  );
}

function example(fixture: LintFixture): string {
  const bad = fixture.bad?.replace(HERE, "") ?? null;
  const lines = (text: string | null) => (text ?? "").split("\n").filter((line) => line !== "");
  const only = (mark: string, text: string | null, other: string | null) => {
    const known = new Set(lines(other));
    return lines(text)
      .filter((line) => !known.has(line))
      .map((line) => `${mark} ${line}`);
  };
  const differences = [...only("-", bad, fixture.mended), ...only("+", fixture.mended, bad)];
  const what = fixture.what.replace(/ \([^()]*\d\)$/, "");
  const title = `${what.charAt(0).toUpperCase()}${what.slice(1)}:`;
  return [title, `\`\`\`diff\n${differences.join("\n")}\n\`\`\``, `> ${said(fixture.code, bad)}`].join(
    "\n\n",
  );
}

function said(code: string, source: string | null): string {
  const files = FILES.map((path) => ({ path, bytes: new Uint8Array(), executable: false }));
  const limits = { maxIterations: 1000, maxTimeoutMs: 604_800_000, maxBundleBytes: 16_777_216 };
  const { errors, warnings } = lintFolder({ source, layout: null, files }, limits);
  return [...errors, ...warnings].find((finding) => finding.code === code)?.message ?? "";
}

test("2.5: docs/lint.md has one heading for each code, with what it means and an example (vitest -u writes it anew)", async () => {
  const codes = Object.keys(LINT_CODES) as LintCode[];
  const text = [INTRODUCTION, ...codes.map((code) => `${section(code)}\n`)].join("\n");
  expect(text.match(/^## .*/gm)).toEqual(codes.map((code) => `## ${code}`));
  await expect(text).toMatchFileSnapshot("../../../../docs/lint.md");
});
