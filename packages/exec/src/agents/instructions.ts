import type { ContextContent } from "@agentflow/engine";

/** A context's texts as one text for a model: knowledge, skills, workspace. Blank when there is nothing to say. */
export function instructions(content: ContextContent | null): string {
  if (content === null) return "";
  const { knowledge, skills, workspace } = content;
  const parts = [
    ...knowledge.map(({ id, title, text }) => block("knowledge", id, title, text)),
    ...skills.map(({ id, description, text }) => block("skill", id, description, text)),
    ...(workspace === null
      ? []
      : [`The workspace is the folder ${workspace.path}. You may use it ${workspace.access}.`]),
  ];
  return parts.join("\n\n");
}

function block(kind: string, id: string, about: string, text: string): string {
  const head = about === "" ? `<${kind} id="${id}">` : `<${kind} id="${id}">\n${about}\n`;
  return `${head}\n${text}\n</${kind}>`;
}
