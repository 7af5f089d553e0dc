import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The key of an installation that was given none (L-49): 32 random bytes as base64, made once and kept in `secret.key` (0600) of the
 * data folder. For workers that share that folder; throws when it can be neither read nor written.
 */
export function keepSecretKey(dataDir: string): string {
  const file = join(dataDir, "secret.key");
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8").trim();
}
