/// <reference lib="dom" />
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { accessibilityProblems } from "./axe.ts";
import { findChromium, openBrowser, type Browser } from "./browser.ts";
import { COUNT, XSS } from "./flows.ts";
import { startService, type Service } from "./service.ts";

const chromium = findChromium();

describe.skipIf(chromium === null)("the console in Chromium (none is installed when this is skipped)", () => {
  let service: Service;
  let browser: Browser;
  const runs: Record<"parked" | "succeeded" | "failed", string> = { parked: "", succeeded: "", failed: "" };

  beforeAll(async () => {
    service = await startService(inject("postgresUrl"));
    await service.client.registerFlow({ name: "count", source: COUNT });
    runs.succeeded = await service.start("count", { n: 5, wait: 0, why: "plainly" }, ["nightly", "eu"]);
    runs.failed = await service.start("count", { n: 5, fail: 3, why: "disk is full" });
    runs.parked = await service.start(
      "count",
      { n: 4, wait: 3, why: "Which of the two invoices is right?" },
      ["nightly"],
    );
    await service.reaches(runs.succeeded, "succeeded");
    await service.reaches(runs.failed, "failed");
    await service.reaches(runs.parked, "waiting");
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
    ["runs", () => "/runs", "nightly"],
    ["run-succeeded", () => `/runs/${runs.succeeded}`, "counted 5 plainly"],
    ["run-failed", () => `/runs/${runs.failed}`, "disk is full"],
    ["run-parked", () => `/runs/${runs.parked}`, /goes on with iteration/],
    ["run-state", () => `/runs/${runs.parked}?tab=state`, "Collapse all"],
    ["run-outputs", () => `/runs/${runs.succeeded}?tab=outputs`, '"plainly"'],
    ["run-inputs", () => `/runs/${runs.succeeded}?tab=inputs`, "Collapse all"],
    ["run-facts", () => `/runs/${runs.succeeded}?tab=facts`, "Held by"],
    ["parked", () => "/parked", "Which of the two invoices is right?"],
    ["flows", () => "/flows", "count"],
    ["flow", () => "/flows/count", "control.while"],
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

  test("K-1: the filter stands in the address, and a shared address shows the same runs", async () => {
    const { page } = browser;
    await open("/runs", "nightly");
    await page.getByRole("button", { name: /^Failed/ }).click();
    await page.getByLabel("Failure code").fill("exit_nonzero");
    await page.waitForURL(/status=failed.*code=exit_nonzero|code=exit_nonzero.*status=failed/);
    await page.locator(`tr[data-run="${runs.failed}"]`).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.reload();
    await page.locator(`tr[data-run="${runs.failed}"]`).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.goto(`${service.url}/runs?tag=eu`);
    await page.locator(`tr[data-run="${runs.succeeded}"]`).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
  });

  test("K-1: a page of runs costs one request, and polls without a request loop", async () => {
    const { page } = browser;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await open("/runs", "nightly");
    await page.waitForResponse((response) => response.url().includes("/v1/runs?"));
    const began = performance.now();
    for (let polls = 0; polls < 2; polls += 1)
      await page.waitForResponse((response) => response.url().includes("/v1/runs?"));
    const seconds = (performance.now() - began) / 1000;
    const lists = asked.filter((url) => url.includes("/v1/runs?"));
    expect(lists.length).toBeLessThanOrEqual(2 + Math.ceil(seconds / 2));
    page.removeAllListeners("request");
  });

  test("K-2 AC-28: a parked run is resumed with exactly the text that was typed", async () => {
    const { page } = browser;
    const id = await service.start("count", { n: 4, wait: 2, why: "what now?" });
    await service.reaches(id, "waiting");
    await open(`/runs/${id}`, "what now?");
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    const editor = page.getByRole("textbox");
    await editor.fill('{"n":1.0,"n":2}');
    await page.getByText(/the key stands twice/).waitFor();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Resume" }).isDisabled()).toBe(true);
    const payload = '{"n": 1.0, "big": 1E2}';
    await editor.fill(payload);
    await page.getByText(/Valid JSON: object/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await browser.picture("resume-dialog");
    const sent = page.waitForRequest((request) => request.url().endsWith(`/v1/runs/${id}/resume`));
    await dialog.getByRole("button", { name: "Resume" }).click();
    expect((await sent).postData()).toBe(`{"nextIteration":3,"payload":${payload}}`);
    await page.locator('[data-status="succeeded"]').first().waitFor();
    expect(JSON.parse((await service.client.getRun(id)).outputs["shown"] ?? "")).toMatchObject({
      resume: { n: 1, big: 100 },
    });
    expect(browser.troubles).toEqual([]);
  });

  test("K-2: a run is cancelled after a question that Escape answers with no", async () => {
    const { page } = browser;
    const id = await service.start("count", { n: 4, wait: 2, why: "cancel me" });
    await service.reaches(id, "waiting");
    await open(`/runs/${id}`, "cancel me");
    await page.getByRole("button", { name: "Cancel run" }).press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect((await service.client.getRun(id)).status).toBe("waiting");
    await page.getByRole("button", { name: "Cancel run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await page.locator('[data-status="cancelled"]').first().waitFor();
    expect((await service.client.getRun(id)).status).toBe("cancelled");
  });

  test("K-2: copy as curl gives a command for the present status", async () => {
    const { page } = browser;
    await open(`/runs/${runs.parked}`, /goes on with iteration/);
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByRole("menuitem", { name: "Resume the run" }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl -X POST ${service.url}/v1/runs/${runs.parked}/resume -H 'content-type: application/json' -d '{"nextIteration":4}'`,
    );
  });

  test("K-1 K-4: many parked runs are resumed at once, after a preview that counts them", async () => {
    const { page } = browser;
    const ids = [];
    for (let n = 0; n < 3; n += 1)
      ids.push(await service.start("count", { n: 3, wait: 2, why: `bulk ${n}` }, ["bulk"]));
    for (const id of ids) await service.reaches(id, "waiting");
    await service.start("count", { n: 1, wait: 0, why: "" }, ["bulk"]);
    await open("/runs?tag=bulk", "Waiting");
    await page.getByRole("button", { name: "Select all that match" }).click();
    await page.getByText("4 selected").waitFor();
    await page.locator(".bulk").getByRole("button", { name: "Resume" }).click();
    await page.getByText("3 of 4 selected are waiting and will be resumed.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await browser.picture("bulk-dialog");
    await page.getByRole("button", { name: "Resume 3" }).click();
    await page.getByText("3 done.").waitFor();
    for (const id of ids) await service.reaches(id, "succeeded");
  });

  test("K-4: a parked run is resumed in place", async () => {
    const { page } = browser;
    const id = await service.start("count", { n: 2, wait: 1, why: "in place?" });
    await service.reaches(id, "waiting");
    await open("/parked", "in place?");
    const item = page.locator(`li[data-run="${id}"]`);
    await item.getByRole("button", { name: /^Resume …/ }).click();
    await item.getByRole("textbox").fill('"yes"');
    await browser.picture("parked-in-place");
    await item.getByRole("button", { name: "Resume", exact: true }).click();
    await item.waitFor({ state: "detached" });
    await service.reaches(id, "succeeded");
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
    for (const tab of ["state", "inputs", "facts", "outputs"]) places.push(`/runs/${done}?tab=${tab}`);
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
