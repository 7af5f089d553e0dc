import { readStateAt, type Reads } from "@agentflow/engine";
import type { Expected } from "./invariants.ts";

/**
 * What is wrong with the states kept of a run at rest (OP-7): each iteration's is there, the last one is the checkpoint's, and as the
 * flows only ever add numbers to a list, each is the beginning of the next.
 */
export async function timelineViolations(reads: Reads, runId: string, expected: Expected): Promise<string[]> {
  const texts: string[] = [];
  for (let iteration = 0; iteration <= expected.iterations; iteration += 1) {
    const found = await readStateAt(reads, runId, { path: null, epoch: null, iteration });
    if (found.kind === "no_loop") return [];
    if (found.kind !== "state") return [`timeline: the state after ${iteration} is ${found.kind}`];
    texts.push(found.text);
  }
  const lists = expected.state.startsWith("[");
  const broken = texts.findIndex(
    (text, index) => lists && index > 0 && !text.startsWith(texts[index - 1]!.slice(0, -1)),
  );
  return [
    ...(texts.at(-1) === expected.state
      ? []
      : [`timeline: ends with ${texts.at(-1)}, not ${expected.state}`]),
    ...(broken < 0 ? [] : [`timeline: ${texts[broken - 1]} is followed by ${texts[broken]}`]),
  ];
}
