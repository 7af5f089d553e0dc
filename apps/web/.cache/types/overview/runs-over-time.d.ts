import type { Hour } from "./numbers.ts";
/** Runs by the hour of their start, coloured by their status now. A module of its own: the library is fetched when needed. */
export default function RunsOverTime({ hours }: {
    readonly hours: readonly Hour[];
}): import("react").JSX.Element;
