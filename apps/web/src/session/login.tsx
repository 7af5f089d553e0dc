import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode, SyntheticEvent } from "react";
import { client } from "../api/client.ts";
import { m } from "../messages/index.ts";
import { Loading, Problem } from "../ui/parts.tsx";
import { sessionQuery } from "./session.ts";

/** The page, or the way in while the server asks for a key and there is no session (S-19). */
export function Gate({ children }: { readonly children: ReactNode }) {
  const session = useQuery(sessionQuery);
  if (session.data === undefined)
    return session.error === null ? (
      <Loading />
    ) : (
      <Problem error={session.error} retry={() => void session.refetch()} />
    );
  return session.data.required && session.data.key === null ? <Login /> : children;
}

function Login() {
  const queries = useQueryClient();
  const [key, setKey] = useState("");
  const login = useMutation({
    mutationFn: () => client.beginSession(key.trim()),
    onSuccess: async (session) => {
      queries.setQueryData(sessionQuery.queryKey, session);
      await queries.invalidateQueries();
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <form className="panel login" onSubmit={submit}>
      <title>{`${m.session.title} · ${m.app.name}`}</title>
      <h1>{m.session.title}</h1>
      <p>{m.session.intro}</p>
      <label className="field">
        {m.session.key}
        <input
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          required
        />
      </label>
      {login.error === null ? null : <Problem error={login.error} />}
      <button type="submit" className="primary" disabled={login.isPending || key.trim() === ""}>
        {m.session.go}
      </button>
      <p className="quiet">{m.session.hint}</p>
    </form>
  );
}

/** Whose session this is, and its end. */
export function SessionMenu() {
  const queries = useQueryClient();
  const session = useQuery(sessionQuery).data;
  const logout = useMutation({
    mutationFn: () => client.endSession(),
    onSettled: async () => {
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
      await queries.invalidateQueries();
    },
  });
  if (session === undefined || session.key === null) return null;
  const { name, scope } = session.key;
  return (
    <span className="session">
      <span className="quiet" title={m.session.scope[scope]}>
        {name}
      </span>
      <button type="button" className="plain" disabled={logout.isPending} onClick={() => logout.mutate()}>
        {m.session.out}
      </button>
    </span>
  );
}
