import { customType } from "drizzle-orm/pg-core";

/** Bytes as Node has them. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
