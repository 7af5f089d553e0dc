import type { FastifyInstance } from "fastify";

/** Notes every route of the app from now on. Returns the methods that exist at a path, sorted; none for an unknown path. */
export function allowedMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const routes = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = routes.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    routes.set(url, methods);
  });
  return (path) => {
    const found = [...routes].filter(([pattern]) => matches(pattern, path));
    return [...new Set(found.flatMap(([, methods]) => [...methods]))].toSorted();
  };
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.at(-1) === "*") return given.length >= wanted.length && same(wanted.slice(0, -1), given);
  return wanted.length === given.length && same(wanted, given);
}

function same(wanted: readonly string[], given: readonly string[]): boolean {
  return wanted.every((part, at) => (part.startsWith(":") ? given[at] !== "" : part === given[at]));
}
