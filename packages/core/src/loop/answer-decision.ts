import { decisions, type Decision } from "./checkpoint.ts";

/** Whether `text` is one of the four words, exactly: no trimming, no other letter case (L-27). */
export function isDecision(text: string): text is Decision {
  return decisions.some((decision) => decision === text);
}
