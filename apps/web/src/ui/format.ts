import { m } from "../messages/index.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in ms for people; never negative, whatever two clocks say (K-6). */
export function durationText(ms: number): string {
  const span = Number.isFinite(ms) ? Math.max(0, ms) : 0;
  if (span < SECOND) return `${Math.round(span)} ms`;
  if (span < MINUTE) return `${(Math.floor(span / 100) / 10).toFixed(1)} s`;
  if (span < HOUR) return pair(span, MINUTE, "min", SECOND, "s");
  if (span < DAY) return pair(span, HOUR, "h", MINUTE, "min");
  return pair(span, DAY, "d", HOUR, "h");
}

function pair(span: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((span % large) / small);
  return `${Math.floor(span / large)} ${largeName}${rest === 0 ? "" : ` ${rest} ${smallName}`}`;
}

/** How long ago, or how far ahead, a time lies; times within a second of now are now. */
export function relativeText(iso: string, nowMs: number): string {
  const distance = nowMs - Date.parse(iso);
  if (Math.abs(distance) < SECOND) return m.time.now;
  const span = coarse(Math.abs(distance));
  return distance > 0 ? m.time.ago(span) : m.time.ahead(span);
}

function coarse(span: number): string {
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`;
  if (span < 2 * DAY) return `${Math.floor(span / HOUR)} h`;
  return `${Math.floor(span / DAY)} d`;
}

/** ms between two times; null while the first is unknown, never negative (K-6). */
export function spanMs(from: string | null, to: string | null, nowMs: number): number | null {
  if (from === null) return null;
  const end = to === null ? nowMs : Date.parse(to);
  return Math.max(0, end - Date.parse(from));
}

/** A time in the viewer's zone. */
export function localTime(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }).format(
    new Date(iso),
  );
}

/** The same time in UTC, for the hover (K-6). */
export function utcTime(iso: string): string {
  return m.time.utc(new Date(iso).toISOString().replace("T", " ").replace("Z", ""));
}

/** Bytes for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}

/** The end of a UUIDv7: its beginning is the time, the same for all runs of an hour. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-12)}` : id;
}
