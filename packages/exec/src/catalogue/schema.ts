import { isCatalogueId, workspaceAccesses } from "@agentflow/core";
import { z } from "zod";

const id = z.string().refine(isCatalogueId, "an id has letters, digits, dots, hyphens and underscores only");

/** A text written in the catalogue, or the path of a file with it, relative to the catalogue's folder. */
const source = { text: z.string().min(1).optional(), file: z.string().min(1).optional() };
const oneSource = (given: { text?: string | undefined; file?: string | undefined }): boolean =>
  (given.text === undefined) !== (given.file === undefined);
const SOURCES = "give either text or file";

const variable = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable");

const stdioServer = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.array(variable).default([]),
});
const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
});

/** The operator's catalogue file (2-flows 2.7): what contexts may name. Credentials are names of environment variables. */
export const catalogueSchema = z.strictObject({
  knowledge: z
    .record(id, z.strictObject({ title: z.string().default(""), ...source }).refine(oneSource, SOURCES))
    .default({}),
  skills: z
    .record(id, z.strictObject({ description: z.string().default(""), ...source }).refine(oneSource, SOURCES))
    .default({}),
  workspaces: z
    .record(
      id,
      z.strictObject({ path: z.string().min(1), access: z.enum(workspaceAccesses).default("read-only") }),
    )
    .default({}),
  mcp: z.record(id, z.union([stdioServer, httpServer])).default({}),
});

export type Catalogue = z.output<typeof catalogueSchema>;
