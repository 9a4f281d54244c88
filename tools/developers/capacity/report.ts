import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ASSUMPTIONS, NAMES, type Profile, profileWith } from './demand.ts';
import { type Figures, KINDS, KIND_NAMES, MADE, PROCESSES, type Part, SERVICES } from './figures.ts';
import { type Limit, type Plan, costsOf, fitsOf, limitsOf, planFor } from './sizes.ts';

/** A table with its name, for a terminal or a page. */
export interface Section {
  name: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

const DIGITS = 2;
/** Two digits that count, as no size is known better. */
export const rounded = (value: number, round: (exact: number) => number = Math.round): string => {
  if (value === 0) return '0';
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - DIGITS + 1);
  return (round(value / unit) * unit).toLocaleString('en', { maximumSignificantDigits: DIGITS });
};
const whole = (value: number): string => Math.round(value).toLocaleString('en');
const percent = (share: number): string => `${rounded(100 * share)} %`;
const gb = (value: number): string => (value >= 1_000 ? `${rounded(value / 1_000)} TB` : `${rounded(value)} GB`);
/** Organizations that something is enough for, never more than it is. */
const orgs = (value: number): string => rounded(value, Math.floor);

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const cpuTable = ({ cpu_us, leader_us }: Figures): Section => ({
  name: 'CPU of one request, in microseconds',
  head: ['request', 'all', 'gateway', 'broker', 'services', 'Postgres', 'of clazz: leading'],
  rows: KIND_NAMES.map((kind) => {
    const us = (part: Part): number => cpu_us[kind][part] ?? 0;
    const services = sumOf(SERVICES.map(us));
    const postgres = us('postgres') + sumOf(SERVICES.map((service) => us(`postgres ${service}`)));
    const all = us('gateway') + us('broker') + services + postgres;
    const leading = leader_us[kind];
    return [
      KINDS[kind],
      ...[all, us('gateway'), us('broker'), services, postgres].map(whole),
      leading === undefined ? '' : whole(leading),
    ];
  }),
});

const bytesTable = ({ stored, made }: Figures): Section => {
  const kinds = KIND_NAMES.map((kind) => [KINDS[kind], stored[kind]] as const);
  const others = [[MADE.lesson, made.lesson] as const, [MADE.enrolment, made.enrolment] as const];
  return {
    name: 'Bytes that one leaves behind',
    head: [
      'what',
      'domain',
      'log',
      'audit log',
      'statistics',
      'audit records, a week',
      'streams, a week',
      "Postgres' log",
    ],
    rows: [...kinds, ...others].flatMap(([about, it]) =>
      it === undefined
        ? []
        : [
            [
              about,
              ...[
                it.domain,
                it.log,
                it.trail,
                it.statistics,
                it.audit_log,
                it.events_stream + it.audit_stream,
                it.wal,
              ].map(whole),
            ],
          ],
    ),
  };
};

/** Rows of which there are many, by table. */
const MANY = [
  'clazz.lesson',
  'clazz.lesson_student',
  'clazz.enrolment',
  'clazz.hour_lot',
  'clazz.hour_entry',
  'clazz.clazz_audit_log',
  'clazz.log_entry',
  'package.course_package_item',
  'stats.mark',
  'stats.hour_entry',
];

const rowsTable = ({ row_bytes }: Figures): Section => ({
  name: 'Bytes of a row with its indexes',
  head: ['table', 'bytes'],
  rows: MANY.flatMap((table) => (row_bytes[table] === undefined ? [] : [[table, whole(row_bytes[table])]])),
});

const othersTable = ({ measured, catch_up, verify, idle_share, memory_mb, connections }: Figures): Section => ({
  name: 'Other measured figures',
  head: ['what', 'figure'],
  rows: [
    ['roll calls of 30 that the follower of statistics applies, a second', whole(catch_up.roll_calls_per_s)],
    ['entries of audit logs that are verified, a second', whole(verify.entries_per_s)],
    ['connections to Postgres of an instance of a service, at most', whole(connections.at_most)],
    ['connections of one instance of each service, after all loads', whole(connections.of_four)],
    ['own memory of a connection', `${whole(memory_mb.connection)} MiB`],
    ['own memory of a service', `${whole(memory_mb.service)} MiB`],
    ['own memory of the gateway', `${whole(memory_mb.gateway)} MiB`],
    ['own memory of the broker', `${whole(memory_mb.broker)} MiB`],
    ['idle system, share of a core', percent(sumOf(Object.values(idle_share)))],
    ['measured', `at commit ${measured.commit}, on ${measured.at}; ${measured.versions}`],
    ['machine', measured.machine],
    ...(measured.load === undefined ? [] : [['processes that wanted a core meanwhile', whole(measured.load)]]),
  ],
});

const LINES: readonly (readonly [about: string, of: (plan: Plan) => string])[] = [
  ['requests a second at the peak', ({ requests, cells }) => rounded(requests * cells)],
  ['roll calls a second at the peak', ({ rollCalls, cells }) => rounded(rollCalls * cells)],
  ['cells', ({ cells }) => whole(cells)],
  ['organizations of a cell', ({ each }) => whole(each)],
  ...PROCESSES.map((process) => [`instances of ${process}`, (it: Plan) => whole(it.instances[process])] as const),
  ['Postgres', ({ split }) => (split ? 'one for each service' : 'one')],
  ['cores of Postgres, of the largest', ({ postgresCores }) => rounded(postgresCores)],
  ['cores of the broker', ({ brokerCores }) => rounded(brokerCores)],
  ['connections to Postgres, at most', ({ connections }) => whole(connections)],
  ['memory of all processes', ({ memoryMb }) => gb(memoryMb / 954)],
  ["Postgres' log at the peak", ({ walPeakMb }) => `${rounded(walPeakMb)} MB/s`],
  ["Postgres' log a day", ({ walDayGb }) => gb(walDayGb)],
  ['disk of Postgres after all years', ({ diskGb }) => gb(diskGb)],
  ['of it logs, never shortened except for audit records', ({ logGb }) => gb(logGb)],
  ['of it audit logs', ({ trailGb }) => gb(trailGb)],
  ['backups, not compressed', ({ backupGb }) => gb(backupGb)],
  ['days of events in the streams', ({ streamDays }) => rounded(streamDays)],
  ['the leader of clazz is busy', ({ leader }) => percent(leader)],
  ['the follower of statistics is busy', ({ follower }) => percent(follower)],
  ['verifying the audit logs, share of a day', ({ verifying }) => percent(verifying)],
];

const sizesTable = (plans: readonly Plan[]): Section => ({
  name: 'Sizes; from organizations of a cell on, all is of one cell',
  head: ['organizations', ...plans.map((plan) => whole(plan.orgs))],
  rows: LINES.map(([about, of]) => [about, ...plans.map(of)]),
});

const limitsTable = (figures: Figures, profile: Profile): Section => ({
  name: 'Limits, the lowest first',
  head: ['limit', 'organizations', 'what lifts it'],
  rows: limitsOf(costsOf(figures, profile), figures, profile).map(({ what, orgs: count, lifted }) => [
    what,
    orgs(count),
    lifted,
  ]),
});

const overlaysTable = (figures: Figures, profile: Profile): Section => ({
  name: 'Organizations that an overlay serves unchanged',
  head: ['overlay', 'by its processes', 'by the cores Postgres is promised', "by Postgres' disk after all years"],
  rows: fitsOf(costsOf(figures, profile), profile).map(({ name, processes, postgres, disk }) => [
    name,
    ...[processes, postgres, disk].map(orgs),
  ]),
});

/** The reach of each step: processes and cores first, then limits that only another cell lifts. */
const stepsTable = (figures: Figures, profile: Profile): Section => {
  const costs = costsOf(figures, profile);
  const limits = limitsOf(costs, figures, profile);
  const until = (of: readonly Limit[]): string => {
    const { what, orgs: count } = of.reduce((a, b) => (a.orgs < b.orgs ? a : b));
    return `${orgs(count)}: ${what}`;
  };
  const shared = limits.filter(({ lifted }) => lifted === 'a Postgres for each service' || lifted === 'another cell');
  const fits = fitsOf(costs, profile).map(({ name, processes, postgres }): [string, string] => [
    `${name} unchanged`,
    until([
      { what: 'its processes', orgs: processes, lifted: 'another instance' },
      { what: 'the cores that Postgres is promised', orgs: postgres, lifted: 'a larger machine' },
      ...shared,
    ]),
  ]);
  return {
    name: 'Steps, and up to how many organizations each goes',
    head: ['system', 'up to, and what ends it'],
    rows: [
      ...fits,
      ['more instances, one larger Postgres', until(shared)],
      ['a Postgres for each service', until(limits.filter(({ lifted }) => lifted === 'another cell'))],
      ['cells', 'any number'],
    ],
  };
};

const assumptionsTable = (profile: Profile): Section => ({
  name: 'Assumptions, each with its flag',
  head: ['flag', 'value', 'what'],
  rows: NAMES.map((name) => [flagOf(name), String(profile[name]), ASSUMPTIONS[name].about]),
});

export const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

/** All tables. */
export const sections = (counts: readonly number[], figures: Figures, profile: Profile): Record<string, Section> => ({
  sizes: sizesTable(counts.map((count) => planFor(count, figures, profile))),
  steps: stepsTable(figures, profile),
  limits: limitsTable(figures, profile),
  overlays: overlaysTable(figures, profile),
  cpu: cpuTable(figures),
  bytes: bytesTable(figures),
  rows: rowsTable(figures),
  others: othersTable(figures),
  assumptions: assumptionsTable(profile),
});

/** Organizations that the page shows the sizes of. */
export const SHOWN = [10, 1_000, 100_000];

const PAGE = fileURLToPath(new URL('../../../docs/capacity.md', import.meta.url));
const TABLE = /(?<begin><!-- table: (?<name>\w+) -->\n)[^]*?(?<end><!-- end -->)/g;

const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
/** Aligns numbers to the right, with a unit or without. */
const NUMBER = /^([\d.,]+( (%|[A-Z]B(\/s)?|MiB))?)?$/;
const markdown = ({ head, rows }: Section): string => {
  const rule = head.map((_, column) => (rows.every((row) => NUMBER.test(row[column] ?? '')) ? '--:' : '---'));
  return [head, rule, ...rows].map(lineOf).join('');
};

/** The page, and its expected text for these figures: every table between its marks. */
export const pageFor = (figures: Figures): { now: string; due: string; tables: string[] } => {
  const now = readFileSync(PAGE, 'utf8');
  const known = sections(SHOWN, figures, profileWith());
  const tables: string[] = [];
  const due = now.replaceAll(TABLE, (...match) => {
    const { begin = '', name = '', end = '' }: Record<string, string> = match.at(-1);
    const section = known[name];
    if (section === undefined)
      throw new Error(`docs/capacity.md has a table "${name}" that the program does not print`);
    tables.push(name);
    return `${begin}\n${markdown(section)}\n${end}`;
  });
  return { now, due, tables };
};

/** Writes the tables of the page. */
export const writePage = (figures: Figures): void => writeFileSync(PAGE, pageFor(figures).due);
