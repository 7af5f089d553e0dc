/** Prints a report for people. */
export function printReport({
  machine,
  commit,
  seconds,
  rounds,
  postgres,
  settings,
  skipped,
  results,
  ratios,
  alone,
}) {
  const { cpu, cores, memoryGiB, system, node } = machine;
  const lines = [
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}`,
    `commit ${commit}; ${rounds} interleaved rounds; ${seconds} s`,
    `PostgreSQL: ${JSON.stringify(postgres)}`,
    ...Object.entries(settings).map(([name, given]) => `${name}: ${JSON.stringify(given)}`),
    ...Object.entries(skipped).map(([name, why]) => `${name} was left out: ${why.split("\n")[0]}`),
    "",
    ...table(results),
    "",
    "ratios, ours on Redis by the other (medians of the ratios of each round):",
    ...Object.entries(ratios).map(([name, value]) => `  ${name.padEnd(22)} ${value}`),
    ...(Object.keys(alone).length === 0 ? [] : ["", ...table(alone)]),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Rows by name, columns by figure. */
function table(rows) {
  const names = Object.keys(rows);
  const columns = [...new Set(names.flatMap((name) => Object.keys(rows[name])))];
  const cell = (value) => (value === undefined || value === null ? "" : String(value));
  const width = (column) => Math.max(column.length, ...names.map((name) => cell(rows[name][column]).length));
  const first = Math.max(...names.map((name) => name.length), 0);
  return [
    [" ".repeat(first), ...columns.map((column) => column.padStart(width(column)))].join("  "),
    ...names.map((name) =>
      [name.padEnd(first), ...columns.map((column) => cell(rows[name][column]).padStart(width(column)))].join(
        "  ",
      ),
    ),
  ];
}
