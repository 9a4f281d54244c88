import type { EntitySchema, InferEntity } from '@mikro-orm/postgresql';
import { type Statement, statement } from './statement.ts';

/** One row, by column names. What may be null is there all the same. */
type Row<E> = {
  [K in keyof InferEntity<E> & string]-?: Exclude<InferEntity<E>[K], undefined>;
};

/** A table and the plain statements on it: whole rows travel as one JSON document, by column name. */
interface Table<R> {
  readonly name: string;
  /** All columns in order, for select lists. */
  readonly columns: string;
  /** One row by its key. */
  readonly read: Statement<R>;
  /** The same, held until the transaction ends. */
  readonly lock: Statement<R>;
  readonly insert: Statement<unknown>;
  /** Replaces rows by their keys. */
  readonly update: Statement<unknown>;
  /** The same, but leaves these columns as they are. */
  readonly updateWithout: (...names: readonly (keyof R & string)[]) => Statement<unknown>;
  /** The columns but for these. */
  readonly columnsWithout: (...names: readonly (keyof R & string)[]) => string;
  /** Removes one row by its key. */
  readonly remove: Statement<unknown>;
}

/** The row parameter of `insert` and `update`. */
export const rowsOf = (...rows: readonly object[]): string => JSON.stringify(rows);

export const table = <const E extends EntitySchema>(definition: E): Table<Row<E>> => {
  const { tableName: name, properties } = definition.meta;
  const all = Object.entries<{ primary?: boolean }>(properties);
  const names = all.map(([column]) => column);
  const keys = all.filter(([, { primary }]) => primary === true).map(([column]) => column);
  const others = names.filter((column) => !keys.includes(column));
  const columns = names.join(', ');
  const byKey = keys.map((column, index) => `${column} = $${index + 1}`).join(' and ');
  const updateWithout = (...left: readonly string[]): Statement<unknown> =>
    statement(
      `update ${name} as old set ${others
        .filter((column) => !left.includes(column))
        .map((column) => `${column} = new.${column}`)
        .join(', ')}
       from json_populate_recordset(null::${name}, $1) as new
       where ${keys.map((column) => `old.${column} = new.${column}`).join(' and ')}`,
    );
  return {
    name,
    columns,
    read: statement(`select ${columns} from ${name} where ${byKey}`),
    lock: statement(`select ${columns} from ${name} where ${byKey} for update`),
    insert: statement(
      `insert into ${name} (${columns}) select ${columns} from json_populate_recordset(null::${name}, $1)`,
    ),
    update: updateWithout(),
    updateWithout,
    columnsWithout: (...left) => names.filter((column) => !left.some((one) => one === column)).join(', '),
    remove: statement(`delete from ${name} where ${byKey}`),
  };
};
