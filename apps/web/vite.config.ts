import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

/** The API serves `dist` under a policy without inline scripts or styles (S-21): no module preload shim, no data addresses. */
export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ["@agentflow/source", ...defaultClientConditions] },
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
});
