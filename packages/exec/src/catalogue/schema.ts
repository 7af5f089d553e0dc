import { isCatalogueId, workspaceAccesses } from "@agentflow/core";
import { z } from "zod";

const id = z.string().refine(isCatalogueId, "an id has letters, digits, dots, hyphens and underscores only");

/** A text written in the catalogue, or the path of a file with it, relative to the catalogue's folder. */
const source = { text: z.string().min(1).optional(), file: z.string().min(1).optional() };
const oneSource = (given: { text?: string | undefined; file?: string | undefined }): boolean =>
  (given.text === undefined) !== (given.file === undefined);
const SOURCES = "give either text or file";

/** Credentials of the service itself are lent to nobody. */
const OURS = /^(DATABASE_URL|REDIS_URL|AGENTFLOW_.*|PG(PASSWORD|PASSFILE|SERVICEFILE))$/;
const isLent = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !OURS.test(name);
const NOT_LENT = "must be the name of an environment variable that is no credential of the service";

const variable = z.string().refine(isLent, NOT_LENT);
const header = z
  .string()
  .refine((text) => [...text.matchAll(/\$\{([^}]*)\}/g)].every(([, name = ""]) => isLent(name)), NOT_LENT);

const stdioServer = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.array(variable).default([]),
});
const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), header).default({}),
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
