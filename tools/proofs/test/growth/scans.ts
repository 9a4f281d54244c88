import type pg from 'pg';

interface Plan {
  'Node Type': string;
  'Parent Relationship'?: string;
  'Join Type'?: string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Subplan Name'?: string;
  Filter?: string;
  Plans?: Plan[];
}

/** One way into a table: by which of an index's conditions, or through all of it. */
export interface Way {
  index: string | null;
  /** Postgres' text of what the index is asked for. */
  condition: string;
}

/** How one step of a plan comes by rows of a table: each way is gone, and its rows are looked at. */
export interface Scan {
  table: string;
  ways: Way[];
  /** Ends after the rows that were asked for, whatever there is. */
  isLimited: boolean;
}

/** Steps that ask for one row more for each that they are asked for. */
const PASSING = new Set(['Limit', 'LockRows', 'Result', 'Subquery Scan', 'Append', 'Merge Append', 'Incremental Sort']);
const OF_ORG = /\((?:\w+\.)?org_id = [^()]*(?:\([^()]*\)[^()]*)?\)/g;

/** Whether rows are passed over: more than by their org, which is what row-level security does. */
const filters = ({ Filter: filter = '' }: Plan): boolean =>
  /\w/.test(filter.replaceAll(OF_ORG, '').replaceAll(/AND/g, ''));

const waysOf = (plan: Plan): Way[] => {
  const { 'Index Name': index, 'Index Cond': condition = '', Plans: below = [] } = plan;
  if (plan['Node Type'] === 'BitmapAnd') {
    // Rows are in all of them: the first way is as good a bound as any other that is narrower.
    return [
      below.flatMap(waysOf).toSorted((a, b) => b.condition.length - a.condition.length)[0] ?? {
        index: null,
        condition,
      },
    ];
  }
  if (index !== undefined) return [{ index, condition }];
  const bitmaps = below.filter((it) => it['Node Type'].startsWith('Bitmap'));
  return bitmaps.length > 0 ? bitmaps.flatMap(waysOf) : [{ index: null, condition }];
};

const below = (plan: Plan, isLimited: boolean): Scan[] =>
  (plan.Plans ?? []).flatMap((child) => {
    const relation = child['Parent Relationship'] ?? '';
    const passes =
      PASSING.has(plan['Node Type']) && !filters(plan)
        ? relation === 'Outer' || relation === 'Member' || relation === 'Subquery'
        : plan['Node Type'] === 'Nested Loop' &&
          relation === 'Outer' &&
          (plan.Plans ?? []).every((it) => it === child || !filters(it));
    return scansOf(child, passes && (isLimited || plan['Node Type'] === 'Limit'));
  });

/** Every step of a plan that reads a table. */
export const scansOf = (plan: Plan, isLimited = false): Scan[] => {
  const table = plan['Relation Name'];
  // By their place in the table, rows are read in pieces that the statement names.
  const isScan = table !== undefined && plan['Node Type'].endsWith('Scan') && !plan['Node Type'].startsWith('Tid');
  if (!isScan) return below(plan, isLimited);
  const bitmap = plan['Node Type'] === 'Bitmap Heap Scan';
  const others = { ...plan, Plans: (plan.Plans ?? []).filter((it) => !it['Node Type'].startsWith('Bitmap')) };
  return [{ table, ways: waysOf(plan), isLimited: isLimited && !bitmap && !filters(plan) }, ...below(others, false)];
};

/** The plan that a prepared statement has for whoever asks, under the client's role. */
export const genericPlan = async (client: pg.Client, text: string): Promise<Plan> => {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (generic_plan, format json) ${text}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('no plan');
  return plan;
};
