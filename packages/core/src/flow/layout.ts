import { z } from "zod";
import { identifier } from "./ir.ts";

/** Farther out no canvas can draw; also keeps NaN and infinities away. */
const COORDINATE_MAX = 10_000_000;
const coordinate = z.number().min(-COORDINATE_MAX).max(COORDINATE_MAX);
const size = z.number().positive().max(COORDINATE_MAX);

const box = z.strictObject({ x: coordinate, y: coordinate, width: size, height: size });

/** `workspace.layout.json`: where nodes stand and how large they are, and nothing else (F-1). */
export const layoutSchema = z.strictObject({ nodes: z.record(identifier, box) });

/** Top left corner and size of a node in the pixels of an unscaled canvas; x grows to the right, y downwards. */
export type Box = z.infer<typeof box>;
export type Layout = z.infer<typeof layoutSchema>;
