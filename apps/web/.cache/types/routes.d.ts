import type { RouteObject } from "react-router";
/** Every page. The API serves the app at exactly these addresses. */
export declare const routes: RouteObject[];
