import type pg from 'pg';
import type { Connection } from 'pg';

/** A column of a statement's result, as Postgres describes it. */
export interface DescribedColumn {
  name: string;
  /** Object id of the column's type. */
  type: number;
  /** Whether the column may be null. Known only for columns of a table; true for anything else. */
  nullable: boolean;
  /** Whether it is a column of a table; false for an expression or a column of a view. */
  isColumn: boolean;
}

interface Field {
  name: string;
  tableID: number;
  columnID: number;
  dataTypeID: number;
}

interface Description {
  parameters: number;
  fields: Field[];
}

/** Parses and describes a statement without running it (PostgreSQL, "Extended Query"). */
class DescribeRequest {
  readonly #text: string;
  readonly #done: (outcome: Description | Error) => void;
  readonly #found: Description = { parameters: 0, fields: [] };

  constructor(text: string, done: (outcome: Description | Error) => void) {
    this.#text = text;
    this.#done = done;
  }

  submit(connection: Connection): void {
    connection.removeAllListeners('parameterDescription');
    connection.once('parameterDescription', (message: { dataTypeIDs: number[] }) => {
      this.#found.parameters = message.dataTypeIDs.length;
    });
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#found.fields = fields;
  }
  handleError(error: Error): void {
    this.#done(error);
  }
  handleReadyForQuery(): void {
    this.#done(this.#found);
  }
}

const describeRaw = (client: pg.Client, text: string): Promise<Description> =>
  new Promise((resolve, reject) => {
    const done = (outcome: Description | Error): void =>
      outcome instanceof Error ? reject(outcome) : resolve(outcome);
    client.query(new DescribeRequest(text, done) as never);
  });

interface Plan {
  'Node Type': string;
  'Join Type'?: string;
  'Parent Relationship'?: string;
  'Relation Name'?: string;
  Alias?: string;
  Output?: string[];
  Filter?: string;
  Plans?: Plan[];
}

const scansOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(scansOf)];

/** All scans on the side of an outer join that may have no row. */
const maybeMissing = (plan: Plan): Plan[] => {
  const join = plan['Join Type'];
  const sides = (plan.Plans ?? []).filter(
    ({ 'Parent Relationship': side }) =>
      join === 'Full' || (join === 'Left' && side === 'Inner') || (join === 'Right' && side === 'Outer'),
  );
  return [...sides.flatMap(scansOf), ...(plan.Plans ?? []).flatMap(maybeMissing)];
};

const planOf = async (client: pg.Client, text: string): Promise<Plan> => {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (generic_plan, verbose, format json) ${text}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('Postgres returned no plan');
  return plan;
};

/** All nodes of the generic plan of a statement. */
export const plannedNodes = async (client: pg.Client, text: string): Promise<Plan[]> =>
  scansOf(await planOf(client, text));

/** Whether an outer join or a grouping set may leave each column empty. */
const emptiedByJoin = async (client: pg.Client, text: string, fields: readonly Field[]): Promise<boolean[]> => {
  if (/\bgrouping sets\b/i.test(text)) return fields.map(() => true);
  if (!/\b(left|right|full)\b[^;]*\bjoin\b/i.test(text)) return fields.map(() => false);
  const plan = await planOf(client, text);
  const missing = maybeMissing(plan);
  const aliases = new Set(missing.flatMap(({ Alias = [] }) => Alias));
  return fields.map((_field, index) => aliases.has(plan.Output?.[index]?.split('.')[0] ?? ''));
};

/** The parameter count and the result columns of a statement. */
export const describeStatement = async (
  client: pg.Client,
  text: string,
): Promise<{ parameters: number; columns: DescribedColumn[] }> => {
  const { parameters, fields } = await describeRaw(client, text);
  const missing = await emptiedByJoin(client, text, fields);
  const { rows } = await client.query<{ known: boolean; is_column: boolean }>(
    `select coalesce(a.attnotnull, false) as known, coalesce(c.relkind in ('r', 'p'), false) as is_column
     from unnest($1::oid[], $2::int[]) with ordinality as f(relation, number, n)
     left join pg_attribute as a on a.attrelid = f.relation and a.attnum = f.number and f.number > 0
     left join pg_class as c on c.oid = a.attrelid order by n`,
    [fields.map((field) => field.tableID), fields.map((field) => field.columnID)],
  );
  return {
    parameters,
    columns: fields.map((field, index) => ({
      name: field.name,
      type: field.dataTypeID,
      nullable: rows[index]?.known !== true || missing[index] === true,
      isColumn: rows[index]?.is_column === true,
    })),
  };
};
