import { ApiError } from "@agentflow/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { NavLink, Outlet, useLocation, useRouteError } from "react-router";
import { statsQuery } from "../api/queries.ts";
import { m } from "../messages/index.ts";
import icon from "../icon.svg";
import { Gate, SessionMenu } from "../session/login.tsx";
import { useMay } from "../session/session.ts";
import { LanguageChoice } from "./language.tsx";
import { Problem } from "./parts.tsx";
import { ThemeChoice } from "./theme.tsx";

/** Head, navigation and the page; says so while there is no connection. */
export function Shell() {
  const stats = useQuery(statsQuery);
  const isOnline = useOnline();
  const mayAudit = useMay("admin");
  const waiting = stats.data?.runs.waiting ?? 0;
  return (
    <>
      <a className="skip" href="#page">
        {m.app.skip}
      </a>
      <header className="top">
        <span className="brand">
          <img src={icon} alt="" width="24" height="24" />
          {m.app.name}
        </span>
        <nav aria-label={m.app.navigation}>
          <NavLink to="/" end>
            {m.nav.overview}
          </NavLink>
          <NavLink to="/runs">{m.nav.runs}</NavLink>
          <NavLink to="/parked">
            {m.nav.parked}
            {waiting > 0 ? <span className="count">{waiting}</span> : null}
          </NavLink>
          <NavLink to="/flows">{m.nav.flows}</NavLink>
          <NavLink to="/workers">{m.nav.workers}</NavLink>
          {mayAudit ? <NavLink to="/audit">{m.nav.audit}</NavLink> : null}
        </nav>
        <span className="grow" />
        <a href="/docs" className="quiet-link">
          {m.app.reference}
        </a>
        <SessionMenu />
        <LanguageChoice />
        <ThemeChoice />
      </header>
      {!isOnline || (stats.failureCount > 0 && !(stats.error instanceof ApiError)) ? (
        <p className="offline" role="status">
          {m.app.offline}
        </p>
      ) : null}
      <Page />
    </>
  );
}

function Page() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [pathname]);
  return (
    <main id="page" ref={main} tabIndex={-1}>
      <Gate>
        <Outlet />
      </Gate>
    </main>
  );
}

function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => {
      window.addEventListener("online", changed);
      window.addEventListener("offline", changed);
      return () => {
        window.removeEventListener("online", changed);
        window.removeEventListener("offline", changed);
      };
    },
    () => navigator.onLine,
  );
}

/** Sets the document's title, so that tabs and screen readers know the page. */
export function Title({ text }: { readonly text: string }) {
  return <title>{`${text} · ${m.app.name}`}</title>;
}

export function NotFound() {
  return (
    <>
      <Title text={m.app.notFound} />
      <h1>{m.app.notFound}</h1>
    </>
  );
}

/** A page that threw while it was drawn; the rest of the app stays usable. */
export function Crashed() {
  return (
    <>
      <h1>{m.app.crashed}</h1>
      <Problem error={useRouteError()} retry={() => window.location.reload()} />
    </>
  );
}
