const KEY = "agentflow-language";

export const LANGUAGES = { en: "English", zh: "中文" } as const;
export type Language = keyof typeof LANGUAGES;

/** The viewer's choice, kept in this browser; without one the browser's own first language that there is, else English. */
export function language(): Language {
  const wanted = [stored() ?? "", ...(globalThis.navigator?.languages ?? [])];
  for (const one of wanted) {
    const [word = ""] = one.toLowerCase().split("-");
    if (Object.hasOwn(LANGUAGES, word)) return word as Language;
  }
  return "en";
}

/** Keeps the choice; it shows with the next load of the page. */
export function chooseLanguage(chosen: Language): void {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // A browser that keeps nothing goes on in its own language.
  }
}

function stored(): string | null {
  try {
    return globalThis.localStorage?.getItem(KEY) ?? null;
  } catch {
    return null;
  }
}
