import { expect } from "vitest";
import { places, read } from "./read.ts";

/**
 * A flow with one mistake: what it is, a piece of the message, the text with `⟦code⟧` in front of the place that is
 * reported, the mended text, and the node and field the finding names.
 */
export type Fixture = readonly [
  what: string,
  says: string,
  bad: string,
  mended: string,
  subject?: { readonly node: string; readonly field?: string },
];

/** A subflow `s` around the node `a`, for fixtures that need one. */
export const SUB = `const a = tool.nodejs("a", {}, "true");\nexport const s = flow.subflow("s", {}, flow(a), { out: a.result });\n`;

const MARK = /⟦(D\d\d)⟧/;

/** Holds one fixture: exactly the marked finding, and none in the mended text. */
export function checkFixture([, says, bad, mended, subject]: Fixture): void {
  const files = ["scripts/step.mjs"];
  const before = bad.slice(0, bad.search(MARK)).split("\n");
  const place = `${MARK.exec(bad)?.[1]} ${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  const { findings } = read(bad.replace(MARK, ""), files);
  expect(places(findings)).toEqual([place]);
  expect(findings[0]).toMatchObject({
    severity: "error",
    message: expect.stringContaining(says),
    ...subject,
  });
  expect(read(mended, files).findings).toEqual([]);
}
