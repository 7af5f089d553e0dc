export { buildApp } from "./app.ts";
export type { ApiDeps } from "./deps.ts";
export { ListenRefused, runApi } from "./run-api.ts";
