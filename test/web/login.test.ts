import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createKey } from "@agentflow/engine";
import { createStore } from "@agentflow/store";
import { accessibilityProblems } from "./axe.ts";
import { findChromium, openBrowser, type Browser } from "./browser.ts";
import { seedRuns, type SeededRuns } from "./seeds.ts";
import { startService, type Service } from "./service.ts";

const chromium = findChromium();

describe.skipIf(chromium === null)("the console's login (skipped when no Chromium is installed)", () => {
  let service: Service;
  let browser: Browser;
  let runs: SeededRuns;
  const keys: Record<"read" | "admin", string> = { read: "", admin: "" };

  beforeAll(async () => {
    service = await startService(inject("postgresUrl"));
    runs = await seedRuns(service);
    const store = createStore({ url: service.databaseUrl, applicationName: "test", maxConnections: 2 });
    for (const scope of ["read", "admin"] as const) {
      const caller = { actor: "test", remote: "" };
      const made = await createKey(
        { keys: store.keys, newId: () => crypto.randomUUID() },
        { name: scope, scope, caller },
      );
      keys[scope] = made?.key ?? "";
    }
    await store.close();
    browser = await openBrowser(chromium ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const logIn = async (key: string) => {
    const { page } = browser;
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Log in" }).click();
  };

  test("S-19: the console asks for a key, takes no wrong one, and shows what the session may not do", async () => {
    const { page } = browser;
    await page.goto(`${service.url}/runs/${runs.parked}`);
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await browser.picture("login");
    await logIn("wrong");
    await page.getByRole("alert").getByText("unknown or revoked").waitFor();
    await logIn(keys.read);
    await page.getByText("3 complete").waitFor();
    const resume = page.getByRole("button", { name: "Resume", exact: true });
    expect(await resume.isDisabled()).toBe(true);
    expect(await resume.getAttribute("title")).toContain("run");
    expect(await page.getByRole("link", { name: "Audit" }).count()).toBe(0);
    expect(await page.evaluate(() => document.cookie)).toBe("");
    await page.reload();
    await page.getByText("3 complete").waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
  });

  test("5: the console speaks the viewer's language, and keeps the choice", async () => {
    const { page } = browser;
    await page.getByLabel("Language").selectOption("zh");
    await page.getByRole("heading", { name: "登录" }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("zh");
    expect(await accessibilityProblems(page)).toEqual([]);
    await browser.picture("login-zh");
    await page.getByLabel("语言").selectOption("en");
    await page.getByRole("heading", { name: "Log in" }).waitFor();
  });

  test("S-19 S-22: an admin's session acts under the key's name, and ends when the key is revoked", async () => {
    const { page } = browser;
    await page.goto(`${service.url}/runs/${runs.parked}`);
    await logIn(keys.admin);
    await page.getByRole("button", { name: "Cancel run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await page.getByText("Cancelled").first().waitFor();
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("row", { name: /cancel.*key:admin/ }).waitFor();
    const store = createStore({ url: service.databaseUrl, applicationName: "test", maxConnections: 2 });
    await store.keys.revoke("admin", { actor: "test", remote: "" });
    await store.close();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
  });
});
