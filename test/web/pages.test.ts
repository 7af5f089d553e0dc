/// <reference lib="dom" />
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { accessibilityProblems } from "./axe.ts";
import { findChromium, openBrowser, type Browser } from "./browser.ts";
import { COUNT, XSS } from "./flows.ts";
import { seedRuns, type SeededRuns } from "./seeds.ts";
import { startService, type Service } from "./service.ts";

const chromium = findChromium();

describe.skipIf(chromium === null)("the console's pages (skipped when no Chromium is installed)", () => {
  let service: Service;
  let browser: Browser;
  let runs: SeededRuns;

  beforeAll(async () => {
    service = await startService(inject("postgresUrl"));
    runs = await seedRuns(service);
    browser = await openBrowser(chromium ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(() => void browser.troubles.splice(0));

  const open = async (path: string, text: string | RegExp) => {
    await browser.page.goto(service.url + path);
    await browser.page.getByText(text).first().waitFor();
  };

  const PAGES: [name: string, path: () => string, text: string | RegExp][] = [
    ["overview", () => "/", "Failures by code"],
    ["runs", () => "/runs?tag=nightly", "nightly"],
    ["run-succeeded", () => `/runs/${runs.succeeded}`, "counted 5 plainly"],
    ["run-failed", () => `/runs/${runs.failed}`, "disk is full"],
    ["run-parked", () => `/runs/${runs.parked}`, "3 complete"],
    ["run-state", () => `/runs/${runs.parked}?tab=state`, "Collapse all"],
    ["run-outputs", () => `/runs/${runs.succeeded}?tab=outputs`, '"plainly"'],
    ["run-logs", () => `/runs/${runs.failed}?tab=logs`, "iteration 3"],
    ["run-events", () => `/runs/${runs.succeeded}?tab=events`, "run-"],
    ["run-inputs", () => `/runs/${runs.succeeded}?tab=inputs`, "Collapse all"],
    ["run-facts", () => `/runs/${runs.succeeded}?tab=facts`, "Held by"],
    ["parked", () => "/parked", "Which of the two invoices is right?"],
    ["flows", () => "/flows", "count"],
    ["flow", () => "/flows/count", "control.while"],
    ["workers", () => "/workers", "at work"],
    ["audit", () => "/audit", "local"],
    ["not-found", () => "/runs/019e4f2c-7c00-7000-8000-000000000001", "not_found"],
  ];

  test.each(PAGES)(
    "K-1 K-2 K-3 K-4: the page %s is accessible, in light and dark, under its policy",
    async (name, path, text) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await browser.page.emulateMedia({ colorScheme });
        await open(path(), text);
        expect(await accessibilityProblems(browser.page)).toEqual([]);
        await browser.picture(`${name}-${colorScheme}`);
      }
      const expected = name === "not-found" ? /404/ : /(?!)/;
      expect(browser.troubles.filter((trouble) => !expected.test(trouble))).toEqual([]);
    },
  );

  test("K-2: the console is usable by keys alone", async () => {
    const { page } = browser;
    await open(`/runs/${runs.parked}?tab=state`, "Collapse all");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
    await page.getByRole("tab", { name: "State" }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.getByText("3 complete").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    const tree = page.getByRole("tree");
    await tree.focus();
    expect(await page.getByRole("treeitem").count()).toBe(5);
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("treeitem", { expanded: false }).waitFor();
    expect(await page.getByRole("treeitem").count()).toBe(1);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("End");
    await page.locator(".tree-row.current", { hasText: "done" }).waitFor();
    expect(
      await page.locator(`[id="${await tree.getAttribute("aria-activedescendant")}"]`).textContent(),
    ).toContain("done");
  });

  test("the theme is the viewer's choice and stays after a reload", async () => {
    const { page } = browser;
    await page.emulateMedia({ colorScheme: "light" });
    await open("/", "Failures by code");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByLabel("Theme").selectOption("dark");
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByText("Failures by code").waitFor();
    expect(await ground()).toBe(dark);
    await page.getByLabel("Theme").selectOption("auto");
    expect(await ground()).toBe(light);
  });

  test("K-2: the pages fit a narrow window without scrolling sideways", async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 390, height: 800 });
    for (const [name, path, text] of PAGES) {
      await open(path(), text);
      const { scroll, width } = await page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        width: document.documentElement.clientWidth,
      }));
      expect(scroll, name).toBeLessThanOrEqual(width);
      await browser.picture(`narrow-${name}`);
    }
    await page.setViewportSize({ width: 1360, height: 900 });
  });

  test("K-6: times are in the viewer's zone, with UTC on hover", async () => {
    await open(`/runs/${runs.succeeded}?tab=facts`, "Held by");
    const { createdAt } = await service.client.getRun(runs.succeeded);
    const shown = browser.page.locator(`.facts time[datetime="${createdAt}"]`).first();
    const tokyo = new Intl.DateTimeFormat("en-GB", {
      dateStyle: "medium",
      timeStyle: "medium",
      timeZone: "Asia/Tokyo",
    });
    expect(await shown.textContent()).toBe(tokyo.format(new Date(createdAt)));
    expect(await shown.getAttribute("title")).toContain(createdAt.slice(0, 10));
    expect(await shown.getAttribute("title")).toContain("UTC");
  });

  test("S-21: markup in every text a user can make is shown as text and never runs", async () => {
    const { page } = browser;
    const state = { n: 3, wait: 2, why: XSS, [XSS]: { [XSS]: XSS } };
    await service.client.registerFlow({
      name: "markup",
      source: COUNT.replace('"Count"', JSON.stringify(XSS)).replace(
        "{ n: 3,",
        `{ n: 3, text: ${JSON.stringify(XSS)},`,
      ),
    });
    const parked = await service.start("markup", state, [XSS.slice(0, 200)]);
    const failed = await service.start("markup", { ...state, wait: 0, fail: 2 }, [XSS.slice(0, 200)]);
    const done = await service.start("markup", { ...state, wait: 0 });
    await service.reaches(parked, "waiting");
    await service.reaches(failed, "failed");
    await service.reaches(done, "succeeded");
    const places = [
      "/",
      "/runs?flow=markup",
      "/parked",
      "/flows/markup",
      `/runs/${parked}`,
      `/runs/${failed}`,
    ];
    for (const tab of ["state", "inputs", "facts", "outputs", "events"])
      places.push(`/runs/${done}?tab=${tab}`);
    places.push(
      `/runs?tag=${encodeURIComponent(XSS)}`,
      `/runs/${encodeURIComponent(XSS)}`,
      `/flows/${encodeURIComponent(XSS)}`,
    );
    for (const place of places) {
      await page.goto(service.url + place);
      await page.locator("main").getByText(/./).first().waitFor();
      await page.waitForLoadState("networkidle");
      expect(await page.evaluate(() => (window as { hacked?: number }).hacked), place).toBeUndefined();
      expect(
        await page.locator('main img, main script, main svg[onload], a[href^="javascript:"]').count(),
        place,
      ).toBe(0);
    }
    expect(browser.troubles.filter((trouble) => !/400|404/.test(trouble))).toEqual([]);
    await page.goto(`${service.url}/runs/${failed}`);
    await page.getByText(XSS.slice(0, 60)).first().waitFor();
    await browser.picture("markup");
  });
});
