/** The one queue of the service; part of Redis keys and of PostgreSQL rows. */
export const QUEUE_NAME = "wakes";

/** The braces keep all keys in one slot of a Redis Cluster (B6). */
export const DEFAULT_PREFIX = "{agentflow}";

/** A producer's answer is due within this time, whatever the server does (A17). */
export const ADD_DEADLINE_MS = 1500;

/** Kept jobs would swallow every later one of the same id (A6); retries are ours (A13); the stream is nobody's (A23). */
export const QUEUE_SETTINGS = {
  defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  streams: { events: { maxLen: 500 } },
  skipWaitingForReady: true,
  skipVersionCheck: true,
};

/**
 * The lock is short, so that a job of a dead worker is handed on within 20 s (A4), and no number of stalls fails a job
 * (A3). An idle worker asks again every 2 s, should a notification be lost, and a failed fetch is tried again after 1 s.
 */
export const WORKER_SETTINGS = {
  lockDuration: 4000,
  stalledInterval: 2000,
  maxStalledCount: 1_000_000,
  autorun: false,
  drainDelay: 2,
  runRetryDelay: 1000,
};
