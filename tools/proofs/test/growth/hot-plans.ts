import pg from 'pg';
import { databaseFault } from '../../../../libs/kit/src/index.ts';
import { SERVICES } from '@teaching/local/secrets.ts';
import { type Declarations, loadDeclarations } from '../catalogue.ts';
import { rowCounter } from './count-path-rows.ts';
import { genericPlan, type Scan, scansOf } from './scans.ts';
import { LARGE_ORG } from './seed.ts';
import { filterCombinations } from './filter-combinations.ts';

/** Roles in the order in which they are tried. Only the kit's own statements need the owner. */
const ROLES = ['app', 'worker', 'owner'] as const;
/** SQLSTATE of a missing privilege. */
const NOT_ALLOWED = '42501';
/** SQLSTATE of a table or row type that exists only in other services. */
const ELSEWHERE = new Set(['42P01', '42704']);

/** A node of a plan that reads more rows than the bound allows. */
export interface Finding {
  service: string;
  text: string;
  table: string;
  /** The indexes and conditions it uses, or `all of it` for a scan of the whole table. */
  by: string;
  rows: number;
}

export interface Findings {
  found: Finding[];
  /** `service.index` of every index that some plan uses. */
  used: Set<string>;
  /** Tables with more rows than the bound. */
  large: Set<string>;
  statements: number;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** All executed statements by name: the declared ones, and each list with all combinations of its filters. */
const sentBy = ({ statements, lists }: Declarations, common: ReadonlySet<string>): Map<string, string> =>
  new Map(
    [...statements, ...lists.flatMap((list) => filterCombinations(list).flatMap((given) => list.statementsFor(given)))]
      .filter(({ name, text }) => !common.has(name) && /^[\s(]*(select|with|insert|update|delete)\b/.test(text))
      .map(({ name, text }) => [name, text]),
  );

/** Plans every statement of all services and returns the nodes that read more than `bound` rows of a table. */
export const findScans = async (url: string, bound: number): Promise<Findings> => {
  const kit = await loadDeclarations('libs/kit');
  const common = new Set(kit.statements.map(({ name }) => name));
  const result: Findings = { found: [], used: new Set(), large: new Set(), statements: 0 };
  for (const service of SERVICES) {
    const declared = await loadDeclarations('libs/kit', `services/${service}`);
    const texts = sentBy(declared, service === 'clazz' ? new Set() : common);
    await inService(url, service, bound, texts, result);
  }
  return result;
};

const inService = async (
  url: string,
  service: string,
  bound: number,
  texts: ReadonlyMap<string, string>,
  result: Findings,
): Promise<void> => {
  const [client, looking] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([client.connect(), looking.connect()]);
  try {
    const { rows } = await looking.query<{ table: string }>(
      `select relname as table from pg_class
       where relnamespace = $1::regnamespace and relkind = 'r' and reltuples > $2`,
      [service, bound],
    );
    const large = new Set(rows.map(({ table }) => table));
    for (const table of large) result.large.add(`${service}.${table}`);
    const rowsOf = rowCounter(looking, service);
    await client.query(`set search_path to ${service}, public; set app.org_id to '${LARGE_ORG}'`);
    const scansOfAll = async (text: string, [role, ...others]: readonly string[]): Promise<Scan[]> => {
      await client.query(`set role ${service}_${role}`);
      try {
        return scansOf(await genericPlan(client, text));
      } catch (error) {
        const code = databaseFault(error)?.code;
        if (code !== undefined && ELSEWHERE.has(code)) return [];
        if (code === NOT_ALLOWED && others.length > 0) return scansOfAll(text, others);
        throw error;
      }
    };
    for (const text of texts.values()) {
      const scans = await scansOfAll(text, ROLES);
      result.statements += 1;
      for (const { table, paths, isLimited } of scans) {
        for (const { index } of paths) if (index !== null) result.used.add(`${service}.${index}`);
        if (!large.has(table) || isLimited) continue;
        const counts = await Promise.all(paths.map((way) => rowsOf(table, way)));
        const most = counts.reduce((sum, n) => sum + n, 0);
        if (most <= bound) continue;
        const by = paths
          .map((way) => (way.index === null ? 'all of it' : `${way.index} ${way.condition}`))
          .join(' or ');
        result.found.push({ service, text: oneLine(text), table, by, rows: most });
      }
    }
  } finally {
    await Promise.all([client.end(), looking.end()]);
  }
};
