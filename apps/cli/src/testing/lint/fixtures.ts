import type { LintFixture } from "./fixture.ts";
import { formFixtures } from "./forms.ts";
import { graphFixtures } from "./graph.ts";
import { loopFixtures } from "./loops.ts";
import { resourceFixtures } from "./resources.ts";
import { subflowFixtures } from "./subflows.ts";
import { syntaxFixtures } from "./syntax.ts";

/** Flow files with one mistake each, by code. */
export const lintFixtures: readonly LintFixture[] = [
  ...syntaxFixtures,
  ...graphFixtures,
  ...subflowFixtures,
  ...loopFixtures,
  ...formFixtures,
  ...resourceFixtures,
].toSorted((a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0));
