import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { createBrowserRouter, RouterProvider } from "react-router";
import { z } from "zod";
import { queryClient } from "./api/client.ts";
import { refetchAfterGaps } from "./api/wake.ts";
import { language } from "./messages/language.ts";
import { routes } from "./routes.tsx";
import "./ui/theme.css";
import "./ui/controls.css";
import "./ui/pages.css";

// Compiled checks need eval, which the page's policy forbids.
z.config({ jitless: true });
refetchAfterGaps(queryClient);
document.documentElement.lang = language();

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={createBrowserRouter(routes)} />
    </QueryClientProvider>
  </StrictMode>,
);
