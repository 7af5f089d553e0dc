// Returns the final state as Markdown; it is wired as an input, because after a loop there is no state around.
export default ({ inputs: { final } }) => `# ${final.cursor} records

- valid: ${final.valid.join(", ") || "none"}
- invalid: ${final.invalid.map(({ id, reason }) => `${id} (${reason})`).join(", ") || "none"}`;
