export { parseFlow } from "./parse/parse-flow.ts";
export type { FlowSource, ParsedFlow } from "./parse/parse-flow.ts";
export type { Position } from "./parse/report.ts";
export type { FlowFiles } from "./parse/scope.ts";
export { printFlow } from "./print/print-flow.ts";
export { roundTrip } from "./round-trip.ts";
export type { RoundTrip } from "./round-trip.ts";
export { layoutFlow } from "./layout/layout.ts";
export type { Laid, LayoutOptions } from "./layout/layout.ts";
