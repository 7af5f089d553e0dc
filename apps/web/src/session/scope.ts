import type { SessionAnswer } from "@agentflow/contract";

const RANK = { read: 0, run: 1, admin: 2 } as const;
export type Scope = keyof typeof RANK;

/** Whether a session may do what needs a scope; without keys everybody at this machine may. */
export function may(session: SessionAnswer | undefined, wanted: Scope): boolean {
  if (session === undefined || !session.required) return true;
  return session.key !== null && RANK[session.key.scope] >= RANK[wanted];
}
