export * from "./context.ts";
export * from "./flow.ts";
export * from "./key.ts";
export * from "./log.ts";
export * from "./loop.ts";
export * from "./run.ts";
