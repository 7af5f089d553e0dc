/// <reference lib="dom" />
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { until } from "../support/until.ts";
import { accessibilityProblems } from "./axe.ts";
import { findChromium, openBrowser, type Browser } from "./browser.ts";
import { KEEP } from "./flows.ts";
import { seedRuns, type SeededRuns } from "./seeds.ts";
import { startService, type Service } from "./service.ts";

const chromium = findChromium();

describe.skipIf(chromium === null)(
  "what can be done in the console (skipped when no Chromium is installed)",
  () => {
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

    test("K-2: a run that has ended is run again, and the new run says what it repeats", async () => {
      const { page } = browser;
      await open(`/runs/${runs.succeeded}`, "counted 5 plainly");
      await page.getByRole("button", { name: "Run again" }).click();
      await page.waitForURL((url) => url.pathname !== `/runs/${runs.succeeded}`);
      const id = new URL(page.url()).pathname.replace("/runs/", "");
      expect(await service.reaches(id, "succeeded")).toMatchObject({ rerunOf: runs.succeeded, version: 1 });
      await page.getByRole("tab", { name: "Facts" }).click();
      await page.getByRole("link", { name: runs.succeeded }).waitFor();
    });

    test("K-2: the state after an iteration is shown, and a fork goes on from it", async () => {
      const { page } = browser;
      await open(`/runs/${runs.succeeded}`, "counted 5 plainly");
      await page.getByRole("button", { name: "State after iteration 2" }).click();
      const dialog = page.getByRole("dialog");
      await dialog
        .getByRole("treeitem")
        .filter({ hasText: "done" })
        .getByText("2", { exact: true })
        .waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await browser.picture("past-state");
      await dialog.getByRole("button", { name: "Fork from here" }).click();
      await page.waitForURL((url) => url.pathname !== `/runs/${runs.succeeded}`);
      const id = new URL(page.url()).pathname.replace("/runs/", "");
      const from = { runId: runs.succeeded, iteration: 2 };
      expect(await service.reaches(id, "succeeded")).toMatchObject({ forkedFrom: from });
      await page.getByRole("tab", { name: "Facts" }).click();
      await page.getByRole("link", { name: runs.succeeded }).waitFor();
      await page.getByText("after iteration 2").waitFor();
      expect(browser.troubles).toEqual([]);
    });

    test("K-2: a resume kept for a time is shown with its author, and is taken back", async () => {
      const { page } = browser;
      const id = await service.start("count", { n: 3, wait: 2, why: "later" });
      await service.reaches(id, "waiting");
      await service.client.resumeRun(id, { until: "2999-01-01T00:00:00.000Z" });
      await open(`/runs/${id}`, "A resume is kept until");
      await page.getByTestId("kept-resume").getByText("asked for by local").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await browser.picture("kept-resume");
      await page.getByRole("button", { name: "Take the resume back" }).click();
      await page.getByTestId("kept-resume").waitFor({ state: "detached" });
      expect(await service.client.getRun(id)).toMatchObject({ status: "waiting", keptResume: null });
    });

    test("K-2: the sentence is the server's own explanation", async () => {
      const { sentence } = await service.client.explainRun(runs.parked);
      await open(`/runs/${runs.parked}`, "Loops");
      await browser.page.getByTestId("sentence").getByText(sentence).waitFor();
    });

    test("K-2: copy as curl gives a command for the present status", async () => {
      const { page } = browser;
      await open(`/runs/${runs.parked}`, "3 complete");
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

    test("K-1: keyset pages hold every run once, and the browser's way back leads to the page before", async () => {
      const { page } = browser;
      await service.client.registerFlow({ name: "keep", source: KEEP });
      const started = new Set<string>();
      while (started.size < 55) started.add(await service.start("keep", {}, ["pages"]));
      const shown = async () => {
        const rows = page.locator("tbody tr");
        return rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-run") ?? ""));
      };
      await open("/runs?tag=pages", "Next page");
      const first = await shown();
      await page.getByRole("link", { name: "Next page" }).click();
      await page.getByRole("link", { name: "First page" }).waitFor();
      await until("the second page", async () => (await shown()).length === 5);
      expect(new Set([...first, ...(await shown())])).toEqual(started);
      await page.goBack();
      await until("the first page again", async () => (await shown()).length === 50);
      expect(await shown()).toEqual(first);
    });
  },
);
