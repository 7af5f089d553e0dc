export {
  commandPath,
  describeProblems,
  readConfig,
  scriptEnvironment,
  serviceEnvironment,
} from "./config.ts";
export type { Config, ConfigProblem, ConfigResult, ProcessKind } from "./config.ts";
export { DeadlineError, withDeadline } from "./deadline.ts";
export { findProgram } from "./embedded/guarded-process.ts";
export { embeddedProblem } from "./embedded/inspect.ts";
export { startPostgres, type EmbeddedPostgres, type PostgresOptions } from "./embedded/postgres.ts";
export { startRedis, type EmbeddedRedis } from "./embedded/redis.ts";
export { createLogger, type Logger, type LoggerOptions } from "./logger.ts";
export { watchLoopLag, type LoopLagOptions } from "./loop-lag.ts";
export { keepSecretKey } from "./secret-key.ts";
export { createShutdown, isStop, type Shutdown, type ShutdownOptions } from "./shutdown.ts";
export { setLongTimeout, type LongTimeout } from "./timers.ts";
