import { useEffect, useState } from "react";
import { m } from "../messages/index.ts";

const KEY = "agentflow-theme";
const CHOICES = ["auto", "light", "dark"] as const;
type Choice = (typeof CHOICES)[number];

/** Light, dark, or as the system has it; kept in this browser. */
export function ThemeChoice() {
  const [choice, setChoice] = useState<Choice>(stored);
  useEffect(() => {
    if (choice === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = choice;
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // A browser that keeps nothing still shows the choice.
    }
  }, [choice]);
  return (
    <label className="theme">
      <span className="hidden">{m.app.theme.label}</span>
      <select value={choice} onChange={(event) => setChoice(event.target.value as Choice)}>
        {CHOICES.map((one) => (
          <option key={one} value={one}>
            {m.app.theme[one]}
          </option>
        ))}
      </select>
    </label>
  );
}

function stored(): Choice {
  try {
    return CHOICES.find((one) => one === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}
