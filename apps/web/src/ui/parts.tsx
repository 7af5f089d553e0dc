import { useState } from "react";
import type { ReactNode } from "react";
import { problemOf } from "../api/client.ts";
import { m } from "../messages/index.ts";

/** Nothing to show yet, said to screen readers as well. */
export function Loading() {
  return (
    <p className="quiet" role="status">
      {m.app.loading}
    </p>
  );
}

/** What went wrong, as text (S-21), and a way to try again. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { code, message } = problemOf(error);
  return (
    <div className="problem" role="alert">
      {code === null ? null : <code>{code}</code>}
      <p>{message === "" ? m.app.unreachable : message}</p>
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          {m.app.retry}
        </button>
      )}
    </div>
  );
}

/** A titled part of a page. */
export function Section(props: {
  readonly title: string;
  readonly id: string;
  readonly children: ReactNode;
  readonly aside?: ReactNode;
  readonly className?: string;
}) {
  return (
    <section aria-labelledby={props.id} className={`panel ${props.className ?? ""}`}>
      <header className="panel-head">
        <h2 id={props.id}>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

const COPIED_MS = 1500;

/** Copies a text and says so. */
export function CopyButton({
  text,
  label = m.app.copy,
}: {
  readonly text: () => string;
  readonly label?: string;
}) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button type="button" className="plain" onClick={() => void copy()}>
      <span aria-live="polite">{copied ? m.app.copied : label}</span>
    </button>
  );
}

/** Outside of https and localhost browsers keep the clipboard from pages; a selection still works. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Saves a text as a file. */
export function downloadText(text: string, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
