import { LANGUAGES, chooseLanguage, language } from "../messages/language.ts";
import type { Language } from "../messages/language.ts";
import { m } from "../messages/index.ts";

/** The language of the console; kept in this browser. */
export function LanguageChoice() {
  const choose = (chosen: Language) => {
    chooseLanguage(chosen);
    window.location.reload();
  };
  return (
    <label className="theme">
      <span className="hidden">{m.app.language}</span>
      <select value={language()} onChange={(event) => choose(event.target.value as Language)}>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
