/** The characters a JSON string token (with its quotes) stands for; lone surrogates and NUL included. */
export function decodeString(token: string): string {
  const value: unknown = token.includes("\\") ? JSON.parse(token) : token.slice(1, -1);
  if (typeof value !== "string") throw new Error("not a JSON string");
  return value;
}

/** `text` as a JSON string token; lone surrogates are written as escapes, so the token is always well-formed. */
export function quote(text: string): string {
  return JSON.stringify(text);
}
