import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContextReferences } from "@agentflow/core";
import { beforeEach, describe, expect, test } from "vitest";
import { removeTree } from "../remove-tree.ts";
import { createCatalogue } from "./catalogue.ts";
import { catalogueProblems } from "./read.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "agentflow-catalogue-")));
  path = join(folder, "catalogue.json");
  return () => removeTree(folder);
});

const good = {
  knowledge: { notes: { title: "Notes", file: "texts/notes.md" }, inline: { text: "Short." } },
  skills: { triage: { description: "For tickets", text: "Ask twice." } },
  workspaces: { repo: { path: "repo", access: "read-write" }, archive: { path: "repo" } },
  mcp: {
    words: { command: "words-server", args: ["--quiet"], env: ["WORDS_TOKEN"] },
    issues: { url: "https://issues.test/mcp", headers: { authorization: "Bearer ${ISSUES_TOKEN}" } },
  },
};

async function write(catalogue: unknown): Promise<void> {
  await mkdir(join(folder, "texts"), { recursive: true });
  await mkdir(join(folder, "repo"), { recursive: true });
  await writeFile(join(folder, "texts", "notes.md"), "The sky is green.");
  await writeFile(path, typeof catalogue === "string" ? catalogue : JSON.stringify(catalogue));
}

const references = (given: Partial<ContextReferences>): ContextReferences => ({
  knowledge: [],
  skills: [],
  mcp: [],
  workspace: null,
  ...given,
});

describe("the operator's catalogue", () => {
  test("OP-2: entries are told by their ids alone, skills before others, and every missing one is named", async () => {
    await write({ ...good, knowledge: { ...good.knowledge, triage: { text: "Not the skill." } } });
    const catalogue = createCatalogue(path);
    expect(await catalogue.kindsOf(["repo", "triage", "notes", "words"])).toEqual({
      ok: true,
      kinds: ["workspace", "skills", "knowledge", "mcp"],
    });
    expect(await catalogue.kindsOf(["gone", "notes", "toString"])).toEqual({
      ok: false,
      message: "The operator's catalogue has no entry gone, toString.",
    });
    await write("{");
    expect(await catalogue.kindsOf([])).toMatchObject({ ok: false });
  });

  test("L-48: references become texts, places and servers, in the order they are named, credentials only by name", async () => {
    await write(good);
    const wanted = references({
      knowledge: ["inline", "notes"],
      skills: ["triage"],
      mcp: ["issues", "words"],
      workspace: { id: "repo", access: "read-write" },
    });
    expect(await createCatalogue(path).resolve(wanted)).toEqual({
      ok: true,
      content: {
        knowledge: [
          { id: "inline", title: "", text: "Short." },
          { id: "notes", title: "Notes", text: "The sky is green." },
        ],
        skills: [{ id: "triage", description: "For tickets", text: "Ask twice." }],
        workspace: { id: "repo", path: join(folder, "repo"), access: "read-write" },
        mcp: [
          { id: "issues", kind: "http", ...good.mcp.issues },
          { id: "words", kind: "stdio", ...good.mcp.words },
        ],
      },
    });
  });

  test("L-49: what the file says at a resume counts, without a restart", async () => {
    await write(good);
    const catalogue = createCatalogue(path);
    await catalogue.resolve(references({ knowledge: ["inline"] }));
    await write({ knowledge: { inline: { text: "New." } } });
    expect(await catalogue.resolve(references({ knowledge: ["inline"] }))).toMatchObject({
      content: { knowledge: [{ text: "New." }] },
    });
  });

  test("L-10: everything a flow names in vain is said at once; names of the prototype are no entries", async () => {
    await write(good);
    const wanted = references({ knowledge: ["toString", "notes"], skills: ["nope"], mcp: ["gone"] });
    const found = await createCatalogue(path).resolve({
      ...wanted,
      workspace: { id: "else", access: "read-only" },
    });
    expect(found).toEqual({ ok: false, message: expect.stringMatching(/toString.*nope.*gone.*else/) });
    expect(JSON.stringify(found)).not.toContain("notes");
  });

  test("2.7: a workspace lent read-only is not given to write in; one lent to write in may be asked for read-only", async () => {
    await write(good);
    const { resolve } = createCatalogue(path);
    const ask = (id: string, access: "read-only" | "read-write") =>
      resolve(references({ workspace: { id, access } }));
    expect(await ask("archive", "read-write")).toMatchObject({
      ok: false,
      message: expect.stringContaining("archive read-only"),
    });
    expect(await ask("archive", "read-only")).toMatchObject({ ok: true });
    expect(await ask("repo", "read-only")).toMatchObject({ content: { workspace: { access: "read-only" } } });
  });

  test("S-28: at the start every problem is listed: shape, missing files, folders that are none", async () => {
    await write(good);
    expect(await catalogueProblems(path)).toEqual([]);
    await write({
      knowledge: { a: {}, b: { text: "x", file: "y" }, "no id!": { text: "x" } },
      workspaces: { w: { path: "/", access: "read" } },
      mcp: {
        m: { command: "x", token: "secret" },
        p: { command: "x", env: ["DATABASE_URL"] },
        h: { url: "https://h.test", headers: { a: "${AGENTFLOW_SECRET_KEY}" } },
      },
      other: {},
    });
    const shape = (await catalogueProblems(path)).join("\n");
    for (const place of [
      "knowledge.a",
      "knowledge.b",
      "no id!",
      "workspaces.w.access",
      "mcp.m",
      "mcp.p",
      "mcp.h",
      "other",
    ])
      expect(shape).toContain(place);
    await write({ skills: { s: { file: "gone.md" } }, workspaces: { w: { path: "texts/notes.md" } } });
    expect(await catalogueProblems(path)).toEqual([
      expect.stringContaining("skills s"),
      expect.stringContaining("workspace w is no folder"),
    ]);
    await write("{ not json");
    expect(await catalogueProblems(path)).toEqual([expect.stringContaining("is no JSON")]);
    expect(await catalogueProblems(join(folder, "nothing"))).toEqual([expect.stringContaining("ENOENT")]);
  });
});
