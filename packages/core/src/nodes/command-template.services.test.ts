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

  test("F-22: in no shell text, however odd, does a rendered value run as code", () => {
    const soup = [
      "'",
      '"',
      "\\",
      "$",
      "$$",
      "`",
      "(",
      ")",
      "((",
      "))",
      "{",
      "}",
      "$(",
      "$((",
      "${",
      "$'",
      "$[",
      "#",
      " ",
      " ",
      "\n",
      "\n",
      "<<E",
      "<<-'E'",
      "E",
      "\nE\n",
      "<<<",
      "<",
      "|",
      ";",
      "&&",
      "case a in a)",
      ";; esac",
      "[[ ",
      " ]]",
      "a",
      "X",
      "echo ",
      ": ",
      ":-",
      "\\\n",
      "\t",
      "\r",
      "=",
      "PLACEHOLDER",
      "PLACEHOLDER",
    ];
    const attack =
      "a'$(: >hit)'\"$(: >hit)\"`: >hit`\n: >hit\n';: >hit;'\";: >hit;\"}: >hit;)\n: >hit\nE\n: >hit\n))\n: >hit\n";
    const attacks = [
      attack,
      "$(: >hit)",
      "`: >hit`",
      "(: >hit)",
      "[$(: >hit)]",
      "\n: >hit\n",
      "';: >hit;'",
      '";: >hit;"',
      "\\';: >hit;'",
      "{: >hit;}",
      "\nE\n: >hit\n",
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...soup), { maxLength: 24 }),
        fc.constantFrom(...attacks),
        (parts, text) => {
          const pieces = parts.map((part) =>
            part === "PLACEHOLDER"
              ? ({ kind: "placeholder", name: "v" } as const)
              : ({ kind: "literal", text: part } as const),
          );
          const rendered = renderCommand(
            joinTemplate([{ kind: "literal", text: ": " }, ...pieces]),
            new Map([["v", text]]),
          );
          if (!rendered.ok || !parts.includes("PLACEHOLDER")) return;
          spawnSync(shell, ["-c", rendered.command], { cwd: folder, stdio: "ignore", timeout: 10_000 });
          expect(existsSync(join(folder, "hit")), rendered.command).toBe(false);
        },
      ),
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
