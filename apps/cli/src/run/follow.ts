import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, ServerUnreachable, type Client, type RunAnswer } from "@agentflow/contract";

const POLL_MS = 250;
/** A server that is being started again is waited for this long. */
const OUTAGE_LIMIT_MS = 60_000;

/** Whether a run does nothing any more until somebody asks it to. */
function isAtRest({ status }: Pick<RunAnswer, "status">): boolean {
  return status !== "queued" && status !== "running";
}

/** Looks at a run until it has ended or is parked, and gives what it is then; an outage of the server is sat out. */
export async function follow(
  client: Pick<Client, "getRun">,
  id: string,
  onLook: (run: RunAnswer) => void,
  pollMs = POLL_MS,
): Promise<RunAnswer> {
  let answeredAt = performance.now();
  for (;;) {
    const run = await client.getRun(id).catch((error: unknown) => {
      if (!isOutage(error) || performance.now() - answeredAt > OUTAGE_LIMIT_MS) throw error;
      return null;
    });
    if (run !== null) {
      answeredAt = performance.now();
      onLook(run);
      if (isAtRest(run)) return run;
    }
    await sleep(pollMs);
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof ServerUnreachable || (error instanceof ApiError && error.status >= 500);
}
