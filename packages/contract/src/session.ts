import { z } from "zod";

/** The key's text; the session may do what the key may. */
export const beginSessionBody = z.strictObject({ key: z.string().min(1).max(500) });

export const session = z.object({
  required: z.boolean().describe("Whether calls need an API key or a session."),
  key: z
    .object({ name: z.string(), scope: z.enum(["read", "run", "admin"]) })
    .nullable()
    .describe("The key behind the caller's session; null without one."),
});

export type SessionAnswer = z.infer<typeof session>;
