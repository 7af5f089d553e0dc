import { scan } from "../json/scan.ts";
import { decodeString } from "../json/strings.ts";
import { ownEntry } from "./ir.ts";
import type { IrNode, LiteralPin, SlotType } from "./ir.ts";

/**
 * Slot text of a pin written in the flow (F-7, F-21). On a json slot JSON stays exact text; elsewhere a JSON string gives its
 * characters, null gives no value, anything else its JSON text. A file gives its path inside the bundle. Never throws.
 */
export function pinText(slot: SlotType, pin: LiteralPin): string {
  if ("text" in pin) return pin.text;
  if ("file" in pin) return pin.file;
  return slot === "json" ? pin.json : jsonAsText(pin.json);
}

/** A JSON value as slot text: a string's characters, no value for null, otherwise (broken text too) the text as it is. */
export function jsonAsText(json: string): string {
  const scanned = scan(json);
  if (!scanned.ok) return json;
  if (scanned.kind === "null") return "";
  return scanned.kind === "string" ? decodeString(scanned.text) : scanned.text;
}

/** Whether a bool pin is written as true; what is wired to it is not known before a run. */
export function saysTrue({ pins }: Pick<IrNode, "pins">, slot: string): boolean {
  const pin = ownEntry(pins, slot);
  if (pin === undefined || "file" in pin) return false;
  return ("json" in pin ? pin.json : pin.text).trim() === "true";
}
