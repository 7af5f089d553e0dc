import { useNow } from "./clock.ts";
import { durationText, localTime, relativeText, spanMs, utcTime } from "./format.ts";
import { m } from "../messages/index.ts";

/** A time in the viewer's zone, with UTC on hover (K-6); `relative` shows how long ago instead. */
export function Time({ at, relative }: { readonly at: string | null; readonly relative?: boolean }) {
  if (at === null) return <span>{m.time.never}</span>;
  return relative ? <Ago at={at} /> : stamp(at, localTime(at), utcTime(at));
}

function Ago({ at }: { readonly at: string }) {
  return stamp(at, relativeText(at, useNow()), `${localTime(at)} · ${utcTime(at)}`);
}

function stamp(at: string, text: string, title: string) {
  return (
    <time dateTime={at} title={title}>
      {text}
    </time>
  );
}

/** From one time to another, or until now while it has no end. */
export function Span({ from, to }: { readonly from: string | null; readonly to: string | null }) {
  const now = useNow();
  const span = spanMs(from, to, now);
  return <span className="number">{span === null ? m.time.never : durationText(span)}</span>;
}
