import { edit } from "./fixture.ts";
import type { LintFixture } from "./fixture.ts";

const AGENT = `const notes = context.knowledge("Notes", { ids: ["style", "terms"] });
const files = context.workspace("Files", { workspace: "site", access: "read-write" });
const bundle = context.bundle("Resources", { knowledge: notes, workspace: files });
const write = agent.subAgent("Write", { context: bundle }, "Write a page.");
export const run = flow("Run", write);
`;

/** Contexts out of the operator's catalogue (2-flows 2.7). */
export const resourceFixtures: readonly LintFixture[] = [
  {
    code: "D51",
    what: "an id that is none",
    bad: edit(AGENT, 'ids: ["style", "terms"]', '⟦⟧ids: ["style guide"]'),
    mended: AGENT,
    node: "notes",
    field: "ids",
  },
  {
    code: "D52",
    what: "a blank workspace",
    bad: edit(AGENT, 'workspace: "site"', '⟦⟧workspace: " "'),
    mended: AGENT,
    node: "files",
    field: "workspace",
  },
  {
    code: "D53",
    what: "an unknown access",
    bad: edit(AGENT, 'access: "read-write"', '⟦⟧access: "admin"'),
    mended: AGENT,
    node: "files",
    field: "access",
  },
  {
    code: "D54",
    what: "a bundle of nothing",
    bad: edit(edit(AGENT, "{ knowledge: notes, workspace: files }", "{}"), "const bundle", "const ⟦⟧bundle")
      .replace(/const notes.*\n/, "")
      .replace(/const files.*\n/, ""),
    mended: AGENT,
    node: "bundle",
  },
];
