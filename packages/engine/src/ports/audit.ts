/** One thing somebody did (S-22). `details` is JSON text; resume payloads are not part of it. */
export type AuditView = {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly runId: string | null;
  readonly actor: string;
  readonly remote: string;
  readonly details: string | null;
};

/** Newest first; filters left out match everything. */
export type AuditFilter = {
  readonly runId?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly limit: number;
  readonly cursor?: string;
};
