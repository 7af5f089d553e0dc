import { z } from "zod";

/** A variable as text, parsed by `parse`; `undefined` from it is a problem whose message is `legal`. */
function field<T>(legal: string, parse: (text: string) => T | undefined) {
  return z.string({ error: legal }).transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: legal });
    return z.NEVER;
  });
}

/** A whole number from `min` to `max`, written in digits only. */
export function integer(min: number, max: number) {
  return field(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration written as in L-8 (`15s`, `1.5 h`; no unit means seconds), as whole milliseconds. */
export function duration(min: string, max: string) {
  const [minMs, maxMs] = [durationMs(min) ?? 0, durationMs(max) ?? 0];
  return field(`a duration from ${min} to ${max}, such as 500ms, 15s, 2m, 1h or 7d`, (text) => {
    const ms = durationMs(text);
    return ms !== undefined && ms >= minMs && ms <= maxMs ? ms : undefined;
  });
}

/** A duration, or `off` for null. */
export function durationOrOff(min: string, max: string) {
  const [minMs, maxMs] = [durationMs(min) ?? 0, durationMs(max) ?? 0];
  return field(`off, or a duration from ${min} to ${max}, such as 12h or 30d`, (text) => {
    if (/^off$/i.test(text)) return null;
    const ms = durationMs(text);
    return ms !== undefined && ms >= minMs && ms <= maxMs ? ms : undefined;
  });
}

/** A port, or a range of them such as `4701-4716`, of which the first that is free is taken. */
export function ports() {
  return field("a port from 0 to 65535, or a range of them such as 4701-4716", (text) => {
    const [, first = "", last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
    const range = { from: Number(first), to: Number(last) };
    return first !== "" && range.from <= range.to && range.to <= 65_535 ? range : undefined;
  });
}

/** A whole number from `min` to `max`, or `off` for null. */
export function integerOrOff(min: number, max: number) {
  return field(`off, or a whole number from ${min} to ${max}`, (text) => {
    if (/^off$/i.test(text)) return null;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

function durationMs(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/i.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Math.round(Number(amount) * UNIT_MS[(unit?.toLowerCase() ?? "s") as keyof typeof UNIT_MS]);
}

/** `1` or `0`, also written true/false and on/off. */
export function flag() {
  return field("1 or 0", (text) => {
    if (/^(1|true|on)$/i.test(text)) return true;
    return /^(0|false|off)$/i.test(text) ? false : undefined;
  });
}

/** One of the given words, exactly. */
export function choice<const T extends string>(...words: T[]) {
  return field(`one of ${words.join(", ")}`, (text) => words.find((word) => word === text));
}

/** A URL of one of the schemes (without the colon), kept as it was written. */
export function url(...schemes: string[]) {
  const legal = `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`;
  return field(legal, (text) => {
    if (!URL.canParse(text)) return undefined;
    const { protocol, host } = new URL(text);
    return schemes.includes(protocol.slice(0, -1)) && host !== "" ? text : undefined;
  });
}

/** Any text that is not blank. */
export function text(legal: string) {
  return field(legal, (value) => value);
}

/** 32 bytes as base64 or as 64 hex digits. */
export function secretKey() {
  return field("32 random bytes as base64 or hex, as `openssl rand -base64 32` prints", (value) => {
    const bytes = Buffer.from(value, /^[0-9a-f]{64}$/i.test(value) ? "hex" : "base64");
    return bytes.length === 32 && /^[A-Za-z0-9+/]{43}=?$|^[0-9a-f]{64}$/i.test(value)
      ? new Uint8Array(bytes)
      : undefined;
  });
}

const CREDENTIAL = /^(DATABASE_URL|REDIS_URL|AGENTFLOW_.*|PG(PASSWORD|PASSFILE|SERVICEFILE))$/;

/** Names of variables that scripts may see; our own and the credentials of the service are refused (F-24). */
export function variableNames() {
  const legal =
    "names of environment variables separated by commas, none of them DATABASE_URL, REDIS_URL, PGPASSWORD or AGENTFLOW_*";
  return field(legal, (value) => {
    const names = value
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    return names.every((name) => /^[A-Za-z_]\w*$/.test(name) && !CREDENTIAL.test(name)) ? names : undefined;
  });
}
