import type { Finding } from "@agentflow/core";
import type { Node, Program } from "acorn";
import { Parser } from "acorn";

/** The syntax tree of a flow file, or the reason why there is none (D01). */
export type Source = { readonly program: Program } | { readonly finding: Finding };

/** What of acorn's parser the subclass builds on; acorn does not declare it. */
type Inner = { raiseRecoverable: (offset: number, message: string) => void; declareName: () => void };

/** Reported with everything else that cannot be placed (D06), not as the only finding of the file. */
const REPORTED_LATER = /^Duplicate export|^Export '|^Redefinition of __proto__/;

/** Acorn without its check of names declared twice: it stops at the first one and takes quadratic time in their number. */
const FlowParser = Parser.extend((Base) => {
  const raise = (Base.prototype as unknown as Inner).raiseRecoverable;
  class Lenient extends Base {}
  const prototype = Lenient.prototype as unknown as Inner;
  prototype.declareName = () => {};
  prototype.raiseRecoverable = function (this: Inner, offset: number, message: string): void {
    if (!REPORTED_LATER.test(message)) raise.call(this, offset, message);
  };
  return Lenient;
});

/** Reads the text as an ES2022 module; nothing is executed (F-3). A missing file and a syntax error are findings (D01). */
export function readSource(text: string | null): Source {
  if (text === null)
    return { finding: problem("workspace.flow.js is missing: add it to the flow folder.", null) };
  try {
    return { program: FlowParser.parse(text, { ecmaVersion: 2022, sourceType: "module", locations: true }) };
  } catch (error) {
    if (error instanceof RangeError) return { finding: tooDeep() };
    if (error instanceof SyntaxError) return { finding: syntaxError(error) };
    throw error;
  }
}

/** The finding for text nested beyond what the parser's stack takes. */
export function tooDeep(): Finding {
  return problem("The file is nested too deeply to be read: move large values into files.", null);
}

function syntaxError(error: SyntaxError & { loc?: NonNullable<Node["loc"]>["start"] }): Finding {
  const reason = error.message.replace(/ \(\d+:\d+\)$/, "");
  return problem(
    `Syntax error: ${reason}. Correct the text here; a flow is written as an ES2022 module.`,
    error.loc ?? null,
  );
}

function problem(message: string, at: { line: number; column: number } | null): Finding {
  const place = { line: at?.line ?? null, column: at ? at.column + 1 : null };
  return { code: "D01", severity: "error", node: null, field: null, ...place, message };
}
