import type { Costs } from './costs.ts';
import type { Figures } from './figures.ts';
import { SERVICES } from './kinds.ts';
import type { Profile } from './profile.ts';

/** What lifts a limit. What is done less often is nobody refused for. */
export type Step =
  | 'another instance'
  | 'a larger machine'
  | 'a Postgres for each service'
  | 'another cell'
  | 'another cell; else it is done less often';

/** Something that one cell has once, or so much of, and how many organizations it is enough for. */
export interface Limit {
  what: string;
  orgs: number;
  lifted: Step;
}

/** Cores of the smallest machine that a Postgres of `overlays/large` is promised. */
const SMALL_POSTGRES = 2;
const MB = 1_000_000;
const TB = 1_000_000 * MB;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Cores of Postgres that one organization keeps busy: of all services, and of each when it has its own. */
export const postgresCores = ({ cores }: Costs) => {
  const own = SERVICES.map((service) => cores[`postgres ${service}`]);
  const share = (n: number): number => (sumOf(own) === 0 ? 0 : n / sumOf(own));
  // What no service's connections did (writing pages, vacuum, the log) falls to each by what it asked.
  const each = own.map((busy) => busy + cores.postgres * share(busy));
  return { all: sumOf(each), largest: Math.max(...each) };
};

/** Every limit of one cell, the first one first, but for what no measured request asks. */
export const limitsOf = (costs: Costs, figures: Figures, it: Profile): Limit[] => {
  const { cores, disk } = costs;
  const { all, largest } = postgresCores(costs);
  const planned = (available: number, perOrg: number): number => (available * it.utilisation) / perOrg;
  // Nearly all that is not of statistics is of classes.
  const bytes = sumOf(Object.values(disk));
  const instancesPerOrg = sumOf(SERVICES.map((service) => cores[service])) / it.utilisation;
  const limits: Limit[] = [
    { what: 'one gateway process', orgs: planned(1, cores.gateway), lifted: 'another instance' },
    ...SERVICES.map((service): Limit => ({
      what: `one ${service} process`,
      orgs: planned(1, cores[service]),
      lifted: 'another instance',
    })),
    { what: 'the broker on one core', orgs: planned(1, cores.broker), lifted: 'a larger machine' },
    { what: `Postgres on ${SMALL_POSTGRES} cores`, orgs: planned(SMALL_POSTGRES, all), lifted: 'a larger machine' },
    {
      what: `Postgres on ${it.postgres_cores} cores`,
      orgs: planned(it.postgres_cores, all),
      lifted: 'a Postgres for each service',
    },
    {
      what: `one service's own Postgres on ${it.postgres_cores} cores`,
      orgs: planned(it.postgres_cores, largest),
      lifted: 'another cell',
    },
    {
      what: `${it.max_connections} connections to one Postgres`,
      orgs: (it.max_connections / figures.connections.at_most - 2 * SERVICES.length) / instancesPerOrg,
      lifted: 'a Postgres for each service',
    },
    {
      what: `${it.postgres_wal_mb} MB/s of Postgres' log`,
      orgs: (it.postgres_wal_mb * MB) / costs.walPeak,
      lifted: 'another cell',
    },
    {
      what: `a disk of ${it.postgres_disk_tb} TB`,
      orgs: (it.postgres_disk_tb * TB) / bytes,
      lifted: 'a Postgres for each service',
    },
    {
      what: `one service's own disk of ${it.postgres_disk_tb} TB`,
      orgs: (it.postgres_disk_tb * TB) / Math.max(disk.statistics, bytes - disk.statistics),
      lifted: 'another cell',
    },
    { what: 'the one instance of clazz that leads', orgs: planned(1, costs.leader), lifted: 'another cell' },
    { what: 'the one follower of statistics', orgs: planned(1, costs.follower), lifted: 'another cell' },
    {
      what: 'recomputing all trails from their first entries each day',
      orgs: planned(1, costs.verifying),
      lifted: 'another cell; else it is done less often',
    },
  ];
  return limits.filter(({ orgs }) => Number.isFinite(orgs)).sort((a, b) => a.orgs - b.orgs);
};

/** How many organizations one cell takes: all that nothing but another cell lifts is enough for them. */
export const cellSize = (limits: readonly Limit[]): number =>
  Math.floor(Math.min(...limits.filter(({ lifted }) => lifted === 'another cell').map(({ orgs }) => orgs)));
