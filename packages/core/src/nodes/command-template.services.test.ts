import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { renderCommand, scriptCommand } from "./command-template.ts";
import { joinTemplate } from "./template.ts";

const shells = ["/bin/sh", "bash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);
const folder = mkdtempSync(join(tmpdir(), "command-template-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nasty = [
  "'",
  '"',
  "\\",
  "$",
  "`",
  "\n",
  " ",
  "$(: >hit)",
  "`: >hit`",
  ";: >hit;",
  "${HOME}",
  "$HOME",
  "!",
  "*",
  "~",
  "#",
  "-n",
  "é",
  "日本",
  "👍",
  "\u0001",
  "\r",
  "}",
  ")",
  "a",
];
const value = fc.oneof(
  fc.array(fc.constantFrom(...nasty), { maxLength: 12 }).map((parts) => parts.join("")),
  fc
    .string({ unit: "binary", maxLength: 30 })
    .filter((text) => !text.includes("\0") && !/\p{Surrogate}/u.test(text)),
);

function render(template: string, text: string): string {
  const rendered = renderCommand(template, new Map([["v", text]]));
  if (!rendered.ok) throw new Error(rendered.failure.message);
  return rendered.command;
}

/** Template → what it must print for a value. Placeholders stand in every allowed quoting, next to whatever could join with them. */
const templates: readonly (readonly [template: string, printed: (value: string) => string])[] = [
  ["printf %s ${v}", (v) => v],
  ["printf %s pre${v}post", (v) => `pre${v}post`],
  ["printf %s ${v}${v}", (v) => v + v],
  ["printf %s '${v}'", (v) => v],
  [`printf %s 'a"\${v}\\'b`, (v) => `a"${v}\\b`],
  ['printf %s "${v}"', (v) => v],
  [`printf %s "a'\${v}'b"`, (v) => `a'${v}'b`],
  ['X=x; printf %s "$X${v}$X"', (v) => `x${v}x`],
  ["X=x; printf %s $X${v}", (v) => `x${v}`],
  ['printf %s "$$${v}"', (v) => `$${v}`],
  ["printf %s $$${v}", (v) => `$${v}`],
  ['X=x; printf %s "$X${v}${v}"', (v) => `x${v}${v}`],
  ['x=${v}; printf %s "$x"', (v) => v],
  ['# it\'s "a" `comment`\nprintf %s ${v}', (v) => v],
  ['cat >/dev/null <<E\nit\'s "one\nE\nprintf %s "${v}"', (v) => v],
  ["cat >/dev/null <<-'E'\n\t`it's\n\tE\nprintf %s ${v}", (v) => v],
  [`printf %s "$(printf '%s' "$(echo ')a' | cut -c2)")"\${v}`, (v) => `a${v}`],
  ['printf %s "`echo "a"`${v}"', (v) => `a${v}`],
  ['printf %s "$((1 + (2 << 1)))${v}"', (v) => `5${v}`],
  ['printf %s "${Y:-${Z:-a}}${v}"', (v) => `a${v}`],
  ["case a in a) printf %s ${v} ;; esac", (v) => v],
  ["printf %s \\\\${v}", (v) => `\\${v}`],
  ["printf %s \\\n  ${v}", (v) => v],
  ['v=inner; printf %s "$${v}${v}"', (v) => `inner${v}`],
];

const HOLE = "\0";

/** Values that run something wherever they are not quoted as they should be. */
const attacks = [
  "a'$(: >hit)'\"$(: >hit)\"`: >hit`\n: >hit\n';: >hit;'\";: >hit;\"}: >hit;)\n: >hit\nE\n: >hit\n))\n: >hit\n",
  "$(: >hit)",
  "(: >hit)",
  "[$(: >hit)]",
  "\n: >hit\n",
  ";: >hit;",
  "';: >hit;'",
  '";: >hit;"',
  "\\';: >hit;'",
  "\nE\n: >hit\n",
];

/** Programs that shells accept, with placeholders and traps in every corner of the grammar. */
const { program } = fc.letrec<Record<"program" | "line" | "word" | "piece" | "inQuotes", string>>((tie) => ({
  program: fc.array(tie("line"), { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n")),
  line: fc.oneof(
    { weight: 6, arbitrary: fc.array(tie("word"), { maxLength: 3 }).map((words) => `: ${words.join(" ")}`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie("word"), tie("word"))
        .map(([word, rest]) => `case a in a) : ${word} ;; esac; : ${rest}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie("word"), tie("inQuotes"), fc.constantFrom("E", "'E'", "\\E", "-E", '-"E"'))
        .map(([word, body, end]) => `: <<${end} ${word}\n${body}\nE`),
    },
    { weight: 1, arbitrary: tie("inQuotes").map((text) => `: a # ${text.replaceAll("\n", " ")}`) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie("program"), tie("word")).map(([inner, word]) => `(${inner}\n); : ${word}`),
    },
    { weight: 1, arbitrary: fc.tuple(tie("word"), tie("word")).map(([a, b]) => `: ${a} \\\n ${b}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "[[ a =~ ) ]]",
        "((1 << 2))",
        ": $[1+1]",
        ": $\\\n(: ')')",
        ": <\\\n<E\n'\nE",
        "ca\\\nse a in a) : ;; esac",
      ),
    },
  ),
  word: fc.array(tie("piece"), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
  piece: fc.oneof(
    { weight: 6, arbitrary: fc.constant(HOLE) },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        "a",
        "$",
        "$$",
        "$X",
        "#",
        "\\'",
        '\\"',
        "\\\\",
        "=",
        "{",
        "}",
        "case",
        "$#",
        "\r",
        "\u00a0#",
        "$((1+1))",
        "$((1 << 2))",
        "${X:-a}",
        "${X#a}",
        "$'a'",
        "$'\\''",
      ),
    },
    { weight: 2, arbitrary: fc.tuple(tie("inQuotes")).map(([text]) => `'${text.replaceAll("'", "")}'`) },
    {
      weight: 3,
      arbitrary: fc
        .array(
          fc.oneof(
            tie("inQuotes"),
            tie("piece").filter((piece) => /^[$`]/.test(piece)),
          ),
          { maxLength: 3 },
        )
        .map((parts) => `"${parts.join("").replaceAll(/(?<![\\$(])"/g, "")}"`),
    },
    { weight: 2, arbitrary: tie("program").map((inner) => `$(${inner}\n)`) },
    { weight: 1, arbitrary: tie("program").map((inner) => `$(${inner})`) },
    { weight: 1, arbitrary: tie("line").map((inner) => `\`${inner.replaceAll("`", "")}\``) },
    { weight: 1, arbitrary: tie("piece").map((piece) => `\${X:-${piece}}`) },
  ),
  inQuotes: fc
    .array(
      fc.constantFrom(
        HOLE,
        "a",
        " ",
        "\n",
        "'",
        '"',
        "(",
        ")",
        "#",
        "$",
        "$X",
        "}",
        "E",
        "\nE\n",
        "\\\n",
        "\\\\",
        "$(: a)",
        "${X:-}",
        "${X:-'}",
        "`: a`",
      ),
      { maxLength: 5 },
    )
    .map((parts) => parts.join("")),
}));

/** Whatever characters mean something to a shell, in any order. */
const soup = fc
  .array(
    fc.constantFrom(
      HOLE,
      HOLE,
      ..."'\"\\$`(){}#\n;|<&=~",
      "$(",
      "$((",
      "))",
      "${",
      "$'",
      "<<E",
      "\nE\n",
      " ",
      " ",
      "a",
      "X",
      ":-",
      "\\\n",
    ),
    { maxLength: 20 },
  )
  .map((parts) => `: ${parts.join("")}`);

function piecesOf(text: string): Parameters<typeof joinTemplate>[0] {
  const literals = text.split(HOLE).map((part) => ({ kind: "literal", text: part }) as const);
  return literals.flatMap((literal, index) =>
    index === 0 ? [literal] : [{ kind: "placeholder", name: "v" } as const, literal],
  );
}

describe.each(shells)("a rendered command in %s", (shell) => {
  test.each(templates)("F-22: %j stands for exactly the value, whatever it holds", (template, printed) => {
    fc.assert(
      fc.property(value, (text) => {
        const out = execFileSync(shell, ["-c", render(template, text)], { cwd: folder });
        expect(out.toString("utf8")).toBe(printed(text));
      }),
      { numRuns: 25 },
    );
    expect(existsSync(join(folder, "hit"))).toBe(false);
  });

  test("F-22: in no shell program, however odd, does a rendered value run as code", () => {
    fc.assert(
      fc.property(fc.oneof(program, soup), fc.constantFrom(...attacks), (text, attack) => {
        const rendered = renderCommand(joinTemplate(piecesOf(text)), new Map([["v", attack]]));
        if (!rendered.ok || !text.includes(HOLE)) return;
        spawnSync(shell, ["-c", rendered.command], { cwd: folder, stdio: "ignore", timeout: 10_000 });
        const hit = existsSync(join(folder, "hit"));
        rmSync(join(folder, "hit"), { force: true });
        expect(hit, rendered.command).toBe(false);
      }),
      { numRuns: 1500 },
    );
  });
});

test("F-23: a script file with an odd name runs as one word", () => {
  const path = "it's $(: >hit) ${v}.sh";
  execFileSync("bash", ["-c", 'printf "printf found" >"$1"', "bash", path], { cwd: folder });
  const rendered = renderCommand(scriptCommand(path), new Map([["flowDir", folder]]));
  expect(rendered.ok && execFileSync("/bin/sh", ["-c", rendered.command], { cwd: folder }).toString()).toBe(
    "found",
  );
  expect(existsSync(join(folder, "hit"))).toBe(false);
});
