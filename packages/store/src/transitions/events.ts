import type { RunEvent } from "@agentflow/engine";

/** Events as a write takes them: null text when there are none. JSON escapes NUL and broken surrogates, so any text fits. */
export function eventsText(events: readonly RunEvent[]): string | null {
  return events.length === 0 ? null : JSON.stringify(events);
}
