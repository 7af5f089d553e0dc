import { run, type Queryable } from "../connection/transaction.ts";

/** One value a statement takes per item: its name and type in SQL, and where it comes from. */
export type Field<Item> = readonly [name: string, type: string, value: (item: Item) => unknown];

export type GivenStatement<Item> = {
  readonly name: string;
  readonly fields: readonly Field<Item>[];
  /** The statement over a set of rows, a parenthesised query with the fields as columns. */
  readonly text: (given: string) => string;
  /** Rows are given in this order, which is the order in which they are locked. */
  readonly order: (item: Item) => string;
};

/**
 * A statement for one item or for many at once. The condition on `place` is always true: by it the planner expects one row
 * and starts from the given ones whatever the size of the table, so that they are locked in their order (no deadlocks).
 * One item travels as plain parameters, which spares large texts the
 * quoting of arrays; many travel as one array per field.
 */
export function givenStatement<Item>({ name, fields, text, order }: GivenStatement<Item>) {
  const columns = fields.map(([column, type], index) => `$${index + 1}::${type} as ${column}`);
  const arrays = fields.map(([, type], index) => `$${index + 1}::${type}[]`);
  const names = fields.map(([column]) => column);
  const one = { name, text: text(`(select ${columns.join(", ")})`) };
  const many = {
    name: `${name}_many`,
    text: text(`(
      select ${names.join(", ")} from unnest(${arrays.join(", ")}) with ordinality as g (${names.join(", ")}, place)
      where place + 0 = place)`),
  };

  return async <Row>(db: Queryable, items: readonly Item[]): Promise<Row[]> => {
    const [first, second] = items;
    if (first === undefined) return [];
    if (second === undefined)
      return run<Row>(
        db,
        one,
        fields.map(([, , value]) => value(first)),
      );
    const sorted = items.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
    return run<Row>(
      db,
      many,
      fields.map(([, , value]) => sorted.map(value)),
    );
  };
}
