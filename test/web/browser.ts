import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium, type BrowserContext, type Page } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PLACES = ["/usr/lib/chromium/chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

/** The machine's own Chromium; null where there is none. */
export function findChromium(): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const named = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...named, ...PLACES].find((path) => existsSync(path)) ?? null;
}

export type Browser = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Scripts and styles the page's policy refused, uncaught errors and console errors, in order. */
  readonly troubles: string[];
  /** Keeps a picture where `AGENTFLOW_SCREENSHOTS` names a folder. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
};

/** A Chromium of its own with a fresh profile. */
export async function openBrowser(executablePath: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "agentflow-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    chromiumSandbox: false,
    viewport: { width: 1360, height: 900 },
    locale: "en-GB",
    timezoneId: "Asia/Tokyo",
    permissions: ["clipboard-read", "clipboard-write"],
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return {
    context,
    page,
    troubles,
    picture: async (name) => {
      const folder = process.env["AGENTFLOW_SCREENSHOTS"];
      if (folder === undefined) return;
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    },
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
