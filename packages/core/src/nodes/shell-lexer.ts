import { heredocEnd, readHeredoc } from "./shell-heredoc.ts";
import type { Heredoc } from "./shell-heredoc.ts";

/** Where in a shell text a placeholder stands. Only in the first three can a value be quoted for it (F-22). */
export type PlaceholderContext =
  | "bare"
  | "single"
  | "double"
  | "escaped"
  | "command_substitution"
  | "backtick"
  | "heredoc"
  | "comment"
  | "arithmetic"
  | "parameter_expansion"
  | "ansi_quote";

/** `glued` is set when a `$` or `$name` ends right before the placeholder, so that the value could change its meaning. */
export type Hole = { readonly context: PlaceholderContext; readonly glued: "dollar" | "name" | null };

/** Stands for a placeholder in a text to lex: no shell text can hold a NUL of its own. */
export const HOLE = "\0";

/**
 * The context of every HOLE in `code`, in order. Where shells read a construct differently, or only a full parser would find its
 * end, everything behind it counts as inside it: a placeholder is refused rather than quoted for the wrong place.
 */
export function lexShell(code: string): Hole[] {
  return new ShellLexer(code).run();
}

type Frame = { readonly kind: "bare" | "double" | "substitution" | "parameter"; parens: number };

const NAME_START = /[A-Za-z_]/;
const NAME_PART = /[A-Za-z0-9_]/;
/** Exactly what ends a word: a no-break space or carriage return is part of one. */
const WORD_BREAK = /[ \t\n;|&()<>]/;
const UNSURE_WORD = /^(?:case|\[\[)[\s\\]/;

class ShellLexer {
  readonly #code: string;
  readonly #holes: Hole[] = [];
  readonly #frames: Frame[] = [{ kind: "bare", parens: 0 }];
  /** Depth and context of the outermost frame in which nothing can be quoted. */
  #outer: { readonly depth: number; readonly context: PlaceholderContext } | null = null;
  #heredocs: Heredoc[] = [];
  #at = 0;
  #wordStart = true;
  #glued: Hole["glued"] = null;
  #lost: PlaceholderContext | null = null;

  constructor(code: string) {
    this.#code = code;
  }

  run(): Hole[] {
    while (this.#at < this.#code.length && this.#lost === null) this.#step();
    for (; this.#at < this.#code.length; this.#at += 1) {
      if (this.#char() === HOLE) this.#mark(this.#lost ?? "bare");
    }
    return this.#holes;
  }

  #step(): void {
    const frame = this.#frame();
    const char = this.#char();
    if (char === HOLE) {
      this.#mark(frame.kind === "double" ? "double" : "bare");
      this.#advance(1);
      return;
    }
    this.#glued = null;
    if (frame.kind === "parameter") this.#inParameter(char);
    else if (char === "\\") this.#backslash(frame);
    else if (char === "$") this.#dollar(frame);
    else if (char === "`") this.#backtick();
    else if (frame.kind === "double") this.#inDouble(char);
    else this.#inWords(char, frame);
  }

  #inDouble(char: string): void {
    if (char === '"') this.#pop();
    if (char === "\n") this.#newline();
    else this.#advance(1);
  }

  /** Bare text, at the top or inside `$(…)`. */
  #inWords(char: string, frame: Frame): void {
    const nested = frame.kind === "substitution";
    if (char === "'") this.#single();
    else if (char === '"') this.#push("double", 1);
    else if (char === "\n") this.#newline();
    else if (char === "#" && this.#wordStart) this.#comment(nested);
    else if (char === "<" && this.#code.startsWith("<<", this.#at)) this.#heredoc(nested);
    else if (char === "(" && this.#char(1) === "(") this.#lose("arithmetic");
    else if (nested && (char === "(" || char === ")")) this.#paren(char, frame);
    else if (nested && this.#wordStart && UNSURE_WORD.test(this.#code.slice(this.#at, this.#at + 5)))
      this.#lose("command_substitution");
    else this.#advance(1, WORD_BREAK.test(char));
  }

  #paren(char: string, frame: Frame): void {
    if (char === "(") frame.parens += 1;
    else if (frame.parens > 0) frame.parens -= 1;
    else {
      this.#pop();
      this.#advance(1);
      return;
    }
    this.#advance(1, true);
  }

  /** `${x:-…}`: its end is only certain while nothing in it is quoted, escaped or substituted. */
  #inParameter(char: string): void {
    const unsure =
      char === "\\" ||
      char === "'" ||
      char === '"' ||
      char === "`" ||
      (char === "\n" && this.#heredocs.length > 0);
    if (unsure || (char === "$" && /[(['"]/.test(this.#char(1)))) this.#lose("parameter_expansion");
    else if (char === "$" && this.#char(1) === "{") this.#push("parameter", 2);
    else {
      if (char === "}") this.#pop();
      this.#advance(1);
    }
  }

  #backslash(frame: Frame): void {
    const next = this.#char(1);
    if (next === HOLE) {
      this.#at += 1;
      this.#mark("escaped");
      this.#advance(1);
    } else if (next === "\n") {
      this.#continuation(frame);
    } else {
      this.#advance(2);
    }
  }

  /** A backslash before a newline vanishes before the shell looks at anything, so it may sit inside `$(`, `<<` or `case`. */
  #continuation(frame: Frame): void {
    const before = this.#char(-1);
    if (this.#heredocs.length > 0) this.#lose("heredoc");
    else if (/[$<({]/.test(before) || (frame.kind === "substitution" && !/[ \t]/.test(before)))
      this.#lose("escaped");
    else this.#advance(2, this.#wordStart);
  }

  #dollar(frame: Frame): void {
    const next = this.#char(1);
    if (next === "(") {
      if (this.#char(2) === "(") this.#arithmetic();
      else this.#push("substitution", 2);
    } else if (next === "{") {
      if (/[\s|]/.test(this.#char(2))) this.#lose("command_substitution");
      else this.#push("parameter", 2);
    } else if (next === "[") this.#lose("arithmetic");
    else if (next === "'" && frame.kind !== "double") this.#ansiQuote();
    else if (next === "$") this.#advance(2);
    else if (NAME_START.test(next)) this.#variable();
    else {
      this.#glued = next === HOLE ? "dollar" : null;
      this.#advance(1);
    }
  }

  #variable(): void {
    let end = this.#at + 1;
    while (end < this.#code.length && NAME_PART.test(this.#code.charAt(end))) end += 1;
    const split = this.#code.startsWith("\\\n", end);
    this.#advance(end - this.#at);
    if (split) this.#lose("escaped");
    else if (this.#char() === HOLE) this.#glued = "name";
  }

  /** `$((…))`; anything that may make it a command substitution after all is given up on. */
  #arithmetic(): void {
    const start = this.#at;
    let parens = 0;
    let end = start + 1;
    for (; end < this.#code.length; end += 1) {
      const char = this.#code.charAt(end);
      if (char === "(" && this.#code.charAt(end - 1) === "$" && end > start + 1) break;
      if (/['"`\\#\n]/.test(char)) break;
      if (char === "(") parens += 1;
      if (char === ")") parens -= 1;
      if (char === ")" && parens === 1) break;
    }
    if (this.#code.startsWith("))", end)) this.#stretch(end + 2, "arithmetic");
    else this.#lose("arithmetic");
  }

  #single(): void {
    const end = this.#code.indexOf("'", this.#at + 1);
    this.#stretch(end < 0 ? this.#code.length : end + 1, "single");
  }

  /** `$'…'` is one quoting in bash and another in a plain sh; both end at the same place only without a backslash. */
  #ansiQuote(): void {
    const end = this.#code.indexOf("'", this.#at + 2);
    if (end < 0 || this.#code.slice(this.#at, end).includes("\\")) this.#lose("ansi_quote");
    else this.#stretch(end + 1, "ansi_quote");
  }

  #backtick(): void {
    let end = this.#at + 1;
    while (end < this.#code.length && this.#code.charAt(end) !== "`")
      end += this.#code.charAt(end) === "\\" ? 2 : 1;
    this.#stretch(Math.min(end + 1, this.#code.length), "backtick");
  }

  #comment(nested: boolean): void {
    if (nested) {
      this.#lose("command_substitution");
      return;
    }
    const end = this.#code.indexOf("\n", this.#at);
    this.#stretch(end < 0 ? this.#code.length : end, "comment");
  }

  #heredoc(nested: boolean): void {
    if (this.#char(2) === "<") {
      this.#advance(3, true);
      return;
    }
    const found = nested ? null : readHeredoc(this.#code, this.#at);
    if (!found) {
      this.#lose(nested ? "command_substitution" : "heredoc");
      return;
    }
    this.#heredocs.push(found.heredoc);
    this.#advance(found.end - this.#at);
  }

  #newline(): void {
    if (this.#heredocs.length > 0 && this.#frames.length > 1) {
      this.#lose("heredoc");
      return;
    }
    this.#advance(1, true);
    const pending = this.#heredocs;
    this.#heredocs = [];
    for (const heredoc of pending) {
      if (this.#lost !== null) return;
      const { end, sure } = heredocEnd(this.#code, this.#at, heredoc);
      this.#stretch(end, "heredoc");
      if (!sure) this.#lose("heredoc");
    }
    this.#wordStart = true;
  }

  /** Marks the holes up to `end`; a newline that would start a pending here-document in there cannot be placed. */
  #stretch(end: number, context: PlaceholderContext): void {
    for (; this.#at < end && this.#lost === null; this.#at += 1) {
      if (this.#char() === HOLE) this.#mark(context);
      else if (this.#char() === "\n" && this.#heredocs.length > 0) this.#lose("heredoc");
    }
    this.#wordStart = false;
  }

  #mark(context: PlaceholderContext): void {
    this.#holes.push({ context: this.#outer?.context ?? context, glued: this.#glued });
    this.#glued = null;
  }

  #push(kind: Frame["kind"], length: number): void {
    this.#frames.push({ kind, parens: 0 });
    if (kind !== "double") {
      this.#outer ??= {
        depth: this.#frames.length,
        context: kind === "parameter" ? "parameter_expansion" : "command_substitution",
      };
    }
    this.#advance(length, kind === "substitution");
  }

  #pop(): void {
    if (this.#outer?.depth === this.#frames.length) this.#outer = null;
    this.#frames.pop();
  }

  #lose(context: PlaceholderContext): void {
    this.#lost = context;
  }

  #advance(length: number, wordStart = false): void {
    this.#at += length;
    this.#wordStart = wordStart;
  }

  #frame(): Frame {
    return this.#frames.at(-1) ?? { kind: "bare", parens: 0 };
  }

  #char(ahead = 0): string {
    return this.#code.charAt(this.#at + ahead);
  }
}
