import { en } from "./en.ts";
import type { Messages } from "./en.ts";
import { language } from "./language.ts";
import { zh } from "./zh.ts";

/** The messages of the viewer's language. */
export const m: Messages = { en, zh }[language()];
