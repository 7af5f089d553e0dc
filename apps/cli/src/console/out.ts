import { plain, plainJson } from "./text.ts";

/** Data for the user, on stdout. */
export function say(text: string): void {
  process.stdout.write(`${plain(text)}\n`);
}

/** News about the work, on stderr: what is piped on stays data (F-29). */
export function tell(text: string): void {
  process.stderr.write(`${plain(text)}\n`);
}

/** A value as JSON on one line of stdout. */
export function sayJson(value: unknown): void {
  sayJsonText(JSON.stringify(value));
}

/** JSON text that came from elsewhere, with its exact values. */
export function sayJsonText(text: string): void {
  process.stdout.write(`${plainJson(text)}\n`);
}
