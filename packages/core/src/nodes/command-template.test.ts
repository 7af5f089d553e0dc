import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyseCommand, renderCommand, scriptCommand } from "./command-template.ts";
import { renderPrompt } from "./prompt-template.ts";
import { joinTemplate, splitTemplate } from "./template.ts";

const contexts = (text: string) => analyseCommand(text).placeholders.map(({ context }) => context);
const render = (text: string, values: Record<string, string> = { v: "it's" }) =>
  renderCommand(text, new Map(Object.entries(values)));

describe("where a placeholder stands (F-22)", () => {
  test.each([
    ["echo ${v}", "bare"],
    ["echo '${v}'", "single"],
    ['echo "${v}"', "double"],
    ["echo \"'${v}'\"", "double"],
    ["echo '\"'${v}", "bare"],
    ["echo \\'${v}", "bare"],
    ['echo "\\"${v}"', "double"],
    ["echo \\\\${v}", "bare"],
    ["echo \\${v}", "escaped"],
    ['echo "\\${v}"', "escaped"],
    ["echo $(cat ${v})", "command_substitution"],
    ["echo \"$(cat '${v}')\"", "command_substitution"],
    ["echo $(a) ${v}", "bare"],
    ['echo "$(a "$(b ")")")${v}"', "double"],
    ["echo $(a (b) c) ${v}", "bare"],
    ["echo `cat ${v}`", "backtick"],
    ["echo `a \\` b` ${v}", "bare"],
    ["echo '`' ${v}", "bare"],
    ["# ${v}", "comment"],
    ["a#${v}", "bare"],
    ["a;#${v}", "comment"],
    ["# it's\necho ${v}", "bare"],
    ["a\u00a0#'\necho ${v}'", "single"],
    ["cat <<E\n${v}\nE", "heredoc"],
    ["cat <<E\nit's\nE\necho ${v}", "bare"],
    ["cat <<-'E'\n\t$(\n\tE\necho ${v}", "bare"],
    ["cat <<A <<B\n'\nA\n\"\nB\necho ${v}", "bare"],
    ["cat <<E ${v}\nE", "bare"],
    ["cat <<${v}", "heredoc"],
    ["echo $((1 + ${v}))", "arithmetic"],
    ["echo $((1 << 2)) ${v}", "bare"],
    ["echo ${x:-${v}}", "parameter_expansion"],
    ["echo ${x:-a} ${v}", "bare"],
    ["echo $'${v}'", "ansi_quote"],
    ["echo $'a' ${v}", "bare"],
    ["echo \"$'${v}'\"", "double"],
    ['echo $"${v}"', "double"],
    ["(${v})", "bare"],
    ["case a in a) ${v} ;; esac", "bare"],
  ])("%j: %s", (text, context) => {
    expect(contexts(text)).toEqual([context]);
  });

  test.each([
    ['"$(case x in x) echo ;; esac; echo ${v})"', "command_substitution"],
    ['"$([[ $a =~ ) ]]; echo ${v})"', "command_substitution"],
    ['"$(# it\'s )\necho ${v})"', "command_substitution"],
    ['"$(cat <<E\n)\nE\n${v})"', "command_substitution"],
    ['"$(ca\\\nse x in x) ${v};; esac)"', "command_substitution"],
    ["echo $\\\n(a ${v})", "escaped"],
    ["cat <\\\n<E\n'\nE\n${v}'", "escaped"],
    ["cat <<E\\\nF\n'\nEF\n${v}'", "heredoc"],
    ["cat <<E\nx\\\nE\n'\nE\n${v}'", "heredoc"],
    ["cat <<E\n$(\nE\n)\nE\n${v}", "heredoc"],
    ["cat <<E 'a\nb'\nE\n${v}'", "heredoc"],
    ["cat <<$x\n'\n$x\n${v}'", "heredoc"],
    ["echo $((echo a) | (cat ${v}))", "arithmetic"],
    ["((a << b))\n${v}", "arithmetic"],
    ["echo $[1 + ${v}]", "arithmetic"],
    ["echo ${x:-'}'} ${v}", "parameter_expansion"],
    ['echo "${x:-\'}" ${v}', "parameter_expansion"],
    ["echo $'\\'' ${v}'", "ansi_quote"],
    ["echo ${ cat ${v}; }", "command_substitution"],
  ])("%j: refused, because shells disagree or only a parser would know (%s)", (text, context) => {
    expect(contexts(text)).toEqual([context]);
    expect(render(text).ok).toBe(false);
  });

  test("the offset is that of the placeholder in the stored text", () => {
    expect(analyseCommand("echo $${a} '${b}'").placeholders).toEqual([
      { name: "b", context: "single", offset: 12 },
    ]);
  });

  test("a long text of unfinished constructs is read in linear time", () => {
    for (const part of ["$", "${", "$(", "$((", "`", '"', "<<E\n", "'", "\\", "${a", "$$"]) {
      expect(analyseCommand(part.repeat(200_000)).placeholders).toEqual([]);
    }
    expect(analyseCommand(`cat <<E\n${"${".repeat(200_000)}}\nE`).placeholders).toEqual([]);
  });
});

describe("rendering (F-22)", () => {
  test.each([
    ["echo ${v}", "echo 'it'\\''s'"],
    ["echo a${v}b", "echo a'it'\\''s'b"],
    ["echo '${v}'", "echo 'it'\\''s'"],
    ['echo "${v}"', 'echo "it\'s"'],
    ['echo "$HOME${v}"', 'echo "$HOME""it\'s"'],
    ["echo $${v}", "echo ${v}"],
    ["echo $HOME $1 $(date) ${x:-y}", "echo $HOME $1 $(date) ${x:-y}"],
  ])("%j becomes %j", (text, command) => {
    expect(render(text)).toEqual({ ok: true, command });
  });

  test('a value inside double quotes has only $ ` " and \\ escaped', () => {
    expect(render('"${v}"', { v: "$a `b` \"c\" \\d 'e' !f\n#g" })).toEqual({
      ok: true,
      command: '"\\$a \\`b\\` \\"c\\" \\\\d \'e\' !f\n#g"',
    });
  });

  test("a value that looks like a placeholder is not replaced again", () => {
    expect(render("${a} ${b}", { a: "${b}", b: "x" })).toEqual({ ok: true, command: "'${b}' 'x'" });
  });

  test.each([
    ["echo ${HOME}", "config_invalid", /write \$HOME, or \\\$\{HOME\} in a template/],
    ["echo ${toString}", "config_invalid", /neither an input of this node/],
    ["echo $(cat ${v})", "config_invalid", /value_v=\$\{v\}, and use "\$value_v" there/],
    ["# ${v}", "config_invalid", /Take it out of the comment/],
    ["echo \\${v}", "config_invalid", /Take the backslash out/],
    ["echo \0", "config_invalid", /NUL/],
  ])("%j is refused as %s", (text, code, message) => {
    const rendered = render(text);
    expect(rendered).toMatchObject({ ok: false, failure: { code, message: expect.stringMatching(message) } });
  });

  test.each(["a\0b", "\ud800"])(
    "a value no command line can carry (%j) fails the step and names the slot",
    (v) => {
      expect(render("echo ${v}", { v })).toMatchObject({
        ok: false,
        failure: { code: "node_failed", message: expect.stringContaining("value of v ") },
      });
    },
  );
});

describe("script files (F-23)", () => {
  test.each([
    ["scripts/a.js", "node ${flowDir}'/scripts/a.js'"],
    ["a.mjs", "node ${flowDir}'/a.mjs'"],
    ["a.CJS", "node ${flowDir}'/a.CJS'"],
    ["a.sh", "bash ${flowDir}'/a.sh'"],
    ["a.bash", "bash ${flowDir}'/a.bash'"],
    ["a.py", "python3 ${flowDir}'/a.py'"],
    ["bin/tool", "${flowDir}'/bin/tool'"],
    ["v1.js/tool", "${flowDir}'/v1.js/tool'"],
    ["it's ${x}.sh", "bash ${flowDir}'/it'\\''s $${x}.sh'"],
  ])("%s runs as %s", (path, command) => {
    expect(scriptCommand(path)).toBe(command);
  });
});

describe("templates (F-22)", () => {
  const literal = fc
    .array(fc.constantFrom("$", "$$", "{", "}", "a", "{a}", "${a}", "\\", " "), { maxLength: 8 })
    .map((parts) => ({ kind: "literal" as const, text: parts.join("") }));
  const placeholder = fc
    .constantFrom("a", "b_1", "$x", "名")
    .map((name) => ({ kind: "placeholder" as const, name }));

  test("whatever literals and placeholders are joined, splitting gives them back", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(literal, placeholder), { maxLength: 8 }), (pieces) => {
        const merged: { kind: string; text?: string; name?: string }[] = [];
        for (const piece of pieces) {
          const last = merged.at(-1);
          if (piece.kind === "literal" && last?.kind === "literal") last.text += piece.text;
          else if (piece.kind !== "literal" || piece.text !== "") merged.push({ ...piece });
        }
        const split = splitTemplate(joinTemplate(pieces)).map(({ offset: _offset, ...piece }) => piece);
        expect(split).toEqual(merged);
      }),
      { numRuns: 2000 },
    );
  });

  test("only ${identifier} is a placeholder", () => {
    for (const text of ["$a", "${1}", "${a b}", "${a:-b}", "${}", "$ {a}", "$${a}", "$$$${a}"]) {
      expect(splitTemplate(text).map(({ kind }) => kind)).toEqual(["literal"]);
    }
  });
});

describe("prompts (F-22, F-27)", () => {
  const prompt = (text: string) =>
    renderPrompt(
      text,
      new Map([
        ["topic", "$& `tea` ${x}"],
        ["blank", " \n"],
      ]),
    );

  test("a placeholder is inserted verbatim, an escaped one is its text", () => {
    expect(prompt("About ${topic}, not $${topic}")).toEqual({
      ok: true,
      prompt: "About $& `tea` ${x}, not ${topic}",
    });
  });

  test("an unknown one is config_invalid, a blank one placeholder_blank", () => {
    expect(prompt("${gone}")).toMatchObject({ ok: false, failure: { code: "config_invalid" } });
    expect(prompt("${blank}")).toMatchObject({ ok: false, failure: { code: "placeholder_blank" } });
  });
});
