/// <reference lib="dom" />
import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe finds against WCAG 2.2 A and AA on the page as it stands, one line for each element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const run = (window as unknown as { axe: typeof axe }).axe;
    const { violations } = await run.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`),
    );
  });
}
