import { setTimeout as sleep } from "node:timers/promises";
import type { Installation, StormWorker } from "./installation.ts";
import type { Fault } from "./schedule.ts";
import type { Watcher } from "./watcher.ts";

/** Does one fault, and undoes what passes; resolves when it is over. */
export async function strike(fault: Fault, installation: Installation, watcher: Watcher): Promise<void> {
  const { api, database, place, redis, postgres } = installation;
  if ("worker" in fault) {
    const worker = installation.workers[fault.worker];
    if (worker !== undefined) await strikeWorker(fault, worker, watcher);
    return;
  }
  switch (fault.kind) {
    case "kill_api":
      return api.end("SIGKILL", fault.pauseMs);
    case "freeze_api":
      api.signal("SIGSTOP");
      await sleep(fault.forMs);
      return api.signal("SIGCONT");
    case "end_connections":
      await database
        .query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        )
        .catch(() => {});
      return watcher.expectMovement();
    case "empty_queue":
      // The server may be away at this moment; then it is another fault's turn.
      await place.empty().catch(() => {});
      return watcher.expectMovement();
    case "kill_redis":
      await redis?.crash();
      await sleep(fault.forMs);
      await redis?.bringBack();
      return watcher.expectMovement();
    case "stop_postgres":
      await postgres.takeAway();
      await sleep(fault.forMs);
      await postgres.bringBack();
      return watcher.expectMovement();
  }
}

type WorkerFault = Extract<Fault, { readonly worker: number }>;

async function strikeWorker(fault: WorkerFault, worker: StormWorker, watcher: Watcher): Promise<void> {
  const { service, proxy } = worker;
  if (fault.kind === "cut_at_commit") return proxy.cut("commit_iteration", fault.nth, fault.when);
  watcher.expectTakeOver(worker.owner());
  switch (fault.kind) {
    case "kill_worker":
      worker.clockMs = fault.clockMs;
      return service.end("SIGKILL", fault.pauseMs);
    case "stop_worker":
      worker.clockMs = fault.clockMs;
      return service.end("SIGTERM", fault.pauseMs);
    case "freeze_worker":
      service.signal("SIGSTOP");
      await sleep(fault.forMs);
      return service.signal("SIGCONT");
    case "stall_worker":
      proxy.hold();
      await sleep(fault.forMs);
      return proxy.release();
  }
}
