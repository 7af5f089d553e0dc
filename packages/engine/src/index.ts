export type * from "./ports/command.ts";
export type * from "./ports/queue.ts";
export type * from "./ports/reads.ts";
export type * from "./ports/runtime.ts";
export type * from "./ports/work.ts";
export * from "./ports/requests.ts";
export * from "./bundle/index.ts";
export * from "./ports/store-errors.ts";
