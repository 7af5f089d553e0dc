#!/usr/bin/env node
import { existsSync } from "node:fs";

const built = new URL("../dist/main.js", import.meta.url);
if (!existsSync(built)) {
  process.stderr.write(
    "agentflow is not built yet; run `npm start` or `npx pnpm install && npx pnpm build`\n",
  );
  process.exit(1);
}
const { main } = await import(built.href);
await main(process.argv.slice(2));
