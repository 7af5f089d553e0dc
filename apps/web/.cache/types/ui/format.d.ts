/** A duration in ms for people; never negative, whatever two clocks say (K-6). */
export declare function durationText(ms: number): string;
/** How long ago, or how far ahead, a time lies; times within a second of now are now. */
export declare function relativeText(iso: string, nowMs: number): string;
/** ms between two times; null while the first is unknown, never negative (K-6). */
export declare function spanMs(from: string | null, to: string | null, nowMs: number): number | null;
/** A time in the viewer's zone. */
export declare function localTime(iso: string): string;
/** The same time in UTC, for the hover (K-6). */
export declare function utcTime(iso: string): string;
/** Bytes for people. */
export declare function sizeText(bytes: number): string;
/** The end of a UUIDv7: its beginning is the time, the same for all runs of an hour. */
export declare function shortId(id: string): string;
