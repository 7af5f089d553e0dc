import type { RouteObject } from "react-router";
import { FlowPage } from "./flows/flow-page.tsx";
import { FlowsPage } from "./flows/flows-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { ParkedPage } from "./parked/parked-page.tsx";
import { RunPage } from "./runs/run-page.tsx";
import { RunsPage } from "./runs/runs-page.tsx";
import { AuditPage } from "./service/audit-page.tsx";
import { WorkersPage } from "./service/workers-page.tsx";
import { Crashed, NotFound, Shell } from "./ui/shell.tsx";

/** Every page. The API serves the app at exactly these addresses. */
export const routes: RouteObject[] = [
  {
    element: <Shell />,
    children: [
      {
        errorElement: <Crashed />,
        children: [
          { path: "/", element: <OverviewPage /> },
          { path: "/runs", element: <RunsPage /> },
          { path: "/runs/:id", element: <RunPage /> },
          { path: "/parked", element: <ParkedPage /> },
          { path: "/flows", element: <FlowsPage /> },
          { path: "/flows/:name", element: <FlowPage /> },
          { path: "/flows/:name/versions/:version", element: <FlowPage /> },
          { path: "/workers", element: <WorkersPage /> },
          { path: "/audit", element: <AuditPage /> },
          { path: "*", element: <NotFound /> },
        ],
      },
    ],
  },
];
