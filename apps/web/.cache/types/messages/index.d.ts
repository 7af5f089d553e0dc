import type { Messages } from "./en.ts";
/** The messages of the viewer's language; English is the only one so far. */
export declare const m: Messages;
