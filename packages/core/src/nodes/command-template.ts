import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { escapeDouble, escapeSingle, quoteWord } from "./shell-quote.ts";
import { HOLE, lexShell } from "./shell-lexer.ts";
import type { Hole, PlaceholderContext } from "./shell-lexer.ts";
import { joinTemplate, splitTemplate } from "./template.ts";
import type { TemplatePiece } from "./template.ts";

export type { PlaceholderContext } from "./shell-lexer.ts";

/** One placeholder of a command and the quoting it stands in; `offset` counts UTF-16 units of the stored text. */
export type CommandPlaceholder = {
  readonly name: string;
  readonly context: PlaceholderContext;
  readonly offset: number;
};

export type RenderedCommand =
  | { readonly ok: true; readonly command: string }
  | { readonly ok: false; readonly failure: Failure };

/** Placeholders every command may use besides its node's own slots (F-22). */
export const commandConstants: readonly string[] = [
  "flowDir",
  "workspaceRoot",
  "cwd",
  "nodeRunDir",
  "nodeTmpDir",
  "outputsDir",
  "scriptRef",
];

/** The placeholders of a command in order, each with the shell quoting around it. Never throws. */
export function analyseCommand(text: string): { readonly placeholders: readonly CommandPlaceholder[] } {
  const pieces = splitTemplate(text);
  const holes = lexPieces(pieces);
  const placeholders = pieces
    .filter((piece) => piece.kind === "placeholder")
    .map(({ name, offset }, index) => ({ name, offset, context: holes[index]?.context ?? "bare" }));
  return { placeholders };
}

/** What is wrong with a placeholder and how to mend it (D61), or null. `known` are the names that have a value. */
export function placeholderProblem(
  { name, context }: CommandPlaceholder,
  known: ReadonlySet<string>,
): string | null {
  if (context === "escaped") {
    return `The backslash before \${${name}} and the placeholder cancel each other out. Take the backslash out for the value; ${literally(name)}.`;
  }
  if (!known.has(name)) {
    return `\${${name}} is neither an input of this node nor one of ${commandConstants.join(", ")}. Wire an input ${name}; ${literally(name)}.`;
  }
  const place = unquotable[context];
  if (place === undefined) return null;
  if (context === "comment") return `\${${name}} stands in a comment. Take it out of the comment.`;
  const variable = name.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return (
    `\${${name}} stands in ${place}, where it cannot be quoted safely. ` +
    `Put it into a shell variable before that, as value_${variable}=\${${name}}, and use "$value_${variable}" there.`
  );
}

/**
 * The command with every placeholder replaced so that it stands for exactly its value and is never run as code (F-22). Refuses
 * unknown placeholders and places that cannot be quoted (`config_invalid`), and values no command line can carry (`node_failed`).
 */
export function renderCommand(text: string, values: ReadonlyMap<string, string>): RenderedCommand {
  if (text.includes(HOLE))
    return refused("config_invalid", "The command contains a NUL character. Take it out.");
  const pieces = splitTemplate(text);
  const holes = lexPieces(pieces);
  const known = new Set(values.keys());
  let command = "";
  let index = 0;
  for (const piece of pieces) {
    if (piece.kind === "literal") {
      command += piece.text;
      continue;
    }
    const hole: Hole = holes[index] ?? { context: "bare", glued: null };
    index += 1;
    const problem = placeholderProblem({ ...piece, context: hole.context }, known);
    if (problem !== null) return refused("config_invalid", problem);
    const value = values.get(piece.name) ?? "";
    if (value.includes(HOLE))
      return refused(
        "node_failed",
        `The value of ${piece.name} contains a NUL character, which no command line can carry.`,
      );
    if (/\p{Surrogate}/u.test(value))
      return refused(
        "node_failed",
        `The value of ${piece.name} contains half a surrogate pair, which no command line can carry.`,
      );
    command = attach(command, hole, value);
  }
  return { ok: true, command };
}

/** The command that runs a script file of the bundle: its interpreter by extension, then the file as one word (F-23). */
export function scriptCommand(scriptRef: string): string {
  const pieces: Parameters<typeof joinTemplate>[0] = [
    { kind: "literal", text: interpreterPrefix(scriptRef) },
    { kind: "placeholder", name: "flowDir" },
    { kind: "literal", text: quoteWord(`/${scriptRef}`) },
  ];
  return joinTemplate(pieces);
}

const interpreters: ReadonlyMap<string, string> = new Map([
  ["js", "node "],
  ["mjs", "node "],
  ["cjs", "node "],
  ["sh", "bash "],
  ["bash", "bash "],
  ["py", "python3 "],
]);

function interpreterPrefix(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : (interpreters.get(name.slice(dot + 1).toLowerCase()) ?? "");
}

const unquotable: Readonly<Partial<Record<PlaceholderContext, string>>> = {
  command_substitution: "or after a $(…)",
  backtick: "a `…` substitution",
  heredoc: "or after a here-document",
  comment: "a comment",
  arithmetic: "or after shell arithmetic",
  parameter_expansion: "or after a ${…} expansion of the shell",
  ansi_quote: "a $'…' string",
};

function literally(name: string): string {
  return `for the shell's own variable write $${name}, or \\\${${name}} in a template of the flow file`;
}

function lexPieces(pieces: readonly TemplatePiece[]): Hole[] {
  return lexShell(
    pieces.map((piece) => (piece.kind === "literal" ? piece.text.replaceAll(HOLE, " ") : HOLE)).join(""),
  );
}

/** Appends a value in the quoting it stands in, kept apart from a `$` or `$name` right before it. */
function attach(command: string, { context, glued }: Hole, value: string): string {
  if (context === "single") return command + escapeSingle(value);
  if (context === "double") return `${command}${glued === null ? "" : '""'}${escapeDouble(value)}`;
  return glued === "dollar" ? `${command.slice(0, -1)}\\$${quoteWord(value)}` : command + quoteWord(value);
}

function refused(code: "config_invalid" | "node_failed", message: string): RenderedCommand {
  return { ok: false, failure: failure(code, message) };
}
