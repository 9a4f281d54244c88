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

/** A path into a table: an index with its condition, or null for the whole table. */
export interface AccessPath {
  index: string | null;
  /** The index condition as Postgres prints it. */
  condition: string;
}

/** How a node of a plan reads a table. The node follows all its paths. */
export interface Scan {
  table: string;
  paths: AccessPath[];
  /** Whether the node stops after the requested number of rows. */
  isLimited: boolean;
}

/** Nodes that read one row of their child for each row that they return. */
const PASSING = new Set(['Limit', 'LockRows', 'Result', 'Subquery Scan', 'Append', 'Merge Append', 'Incremental Sort']);
const OF_ORG = /\((?:\w+\.)?org_id = [^()]*(?:\([^()]*\)[^()]*)?\)/g;

/** Whether a node skips rows by more than the organization, which row-level security filters. */
const filters = ({ Filter: filter = '' }: Plan): boolean =>
  /\w/.test(filter.replaceAll(OF_ORG, '').replaceAll(/AND/g, ''));

const waysOf = (plan: Plan): AccessPath[] => {
  const { 'Index Name': index, 'Index Cond': condition = '', Plans: below = [] } = plan;
  if (plan['Node Type'] === 'BitmapAnd') {
    // The rows are in all bitmaps. The path with the longest condition gives the smallest bound.
    return [
      below.flatMap(waysOf).toSorted((a, b) => b.condition.length - a.condition.length)[0] ?? {
        index: null,
        condition,
      },
    ];
  }
  if (index !== undefined) return [{ index, condition }];
  const bitmaps = below.filter((child) => child['Node Type'].startsWith('Bitmap'));
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
          (plan.Plans ?? []).every((other) => other === child || !filters(other));
    return scansOf(child, passes && (isLimited || plan['Node Type'] === 'Limit'));
  });

/** All nodes of a plan that read a table. */
export const scansOf = (plan: Plan, isLimited = false): Scan[] => {
  const table = plan['Relation Name'];
  // A Tid scan reads rows by their physical position, which the statement limits.
  const isScan = table !== undefined && plan['Node Type'].endsWith('Scan') && !plan['Node Type'].startsWith('Tid');
  if (!isScan) return below(plan, isLimited);
  const bitmap = plan['Node Type'] === 'Bitmap Heap Scan';
  const others = { ...plan, Plans: (plan.Plans ?? []).filter((child) => !child['Node Type'].startsWith('Bitmap')) };
  return [{ table, paths: waysOf(plan), isLimited: isLimited && !bitmap && !filters(plan) }, ...below(others, false)];
};

/** The generic plan of a prepared statement, under the role of the client. */
export const genericPlan = async (client: pg.Client, text: string): Promise<Plan> => {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (generic_plan, format json) ${text}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('Postgres returned no plan');
  return plan;
};
