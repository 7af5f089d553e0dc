export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/**
 * The value of a JSON text that `scan` has passed, to look at and never to store: spelling is lost. `__proto__` becomes
 * an own property, so it must not be copied by assignment (L-46). Throws on text that is not JSON.
 */
export function jsonValue(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  return value;
}
