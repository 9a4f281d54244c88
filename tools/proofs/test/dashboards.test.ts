import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { series } from './instruments.ts';

const FOLDER = fileURLToPath(new URL('../../../deploy/observability/', import.meta.url));
const read = (file: string): string => readFileSync(`${FOLDER}${file}`, 'utf8');

const Source = z.object({ type: z.string(), uid: z.string() });
const Panel = z.looseObject({
  id: z.int(),
  title: z.string().min(1),
  datasource: Source,
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  targets: z
    .array(
      z.looseObject({
        refId: z.string(),
        datasource: Source,
        expr: z.string().optional(),
        query: z.string().optional(),
      }),
    )
    .min(1),
});
const Dashboard = z.looseObject({ uid: z.string(), title: z.string(), panels: z.array(Panel).min(1) });

const files = readdirSync(`${FOLDER}dashboards`);
const dashboards = files.map((file) => ({ file, ...Dashboard.parse(JSON.parse(read(`dashboards/${file}`))) }));
const queries = dashboards.flatMap(({ uid, panels }) =>
  panels.flatMap(({ title, targets }) =>
    targets.map((target) => ({ name: `${uid}: ${title} ${target.refId}`, ...target })),
  ),
);
const rules = z
  .object({
    groups: z.array(
      z.looseObject({ rules: z.array(z.looseObject({ expr: z.string(), record: z.string().optional() })) }),
    ),
  })
  .parse(parse(read('alerts.yml')))
  .groups.flatMap((group) => group.rules);

const known = series();
for (const { record } of rules) if (record !== undefined) known.set(record, new Set());

/** Faults of a query: parts that are not PromQL, and metrics and labels that no process publishes. */
const faultsIn = (expr: string): string[] => {
  const text = expr.replaceAll('$__rate_interval', '1m');
  const faults: string[] = [];
  const labels: string[] = [];
  const names: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      const token = text.slice(from, to);
      if (type.isError) faults.push(`syntax error at ${from}: ${text.slice(from, from + 20)}`);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') names.push(token);
      if (type.name === 'LabelName') labels.push(token);
    },
  });
  const existing = new Set(names.flatMap((name) => [...(known.get(name) ?? [])]));
  faults.push(...names.filter((name) => !known.has(name)).map((name) => `no process publishes ${name}`));
  if (names.length === 0) faults.push('contains no metric');
  faults.push(
    ...labels.filter((label) => !existing.has(label)).map((label) => `${names.join(', ')} has no label ${label}`),
  );
  return faults;
};

describe('Dashboards', () => {
  it('have unique and stable ids, so links to them stay valid', () => {
    expect(files.length).toBeGreaterThanOrEqual(5);
    for (const { file, uid } of dashboards) expect(`${uid}.json`).toBe(`teaching-${file}`);
    expect(new Set(dashboards.map(({ title }) => title)).size).toBe(files.length);
    for (const { uid, panels } of dashboards) expect(new Set(panels.map(({ id }) => id)).size, uid).toBe(panels.length);
  });

  it('use only provisioned data sources', () => {
    const { datasources } = z
      .object({ datasources: z.array(Source.loose()) })
      .parse(parse(read('grafana/datasources.yml')));
    const provisioned = datasources.map(({ type, uid }) => ({ type, uid }));
    for (const { panels } of dashboards)
      for (const { title, datasource, targets } of panels)
        for (const one of [datasource, ...targets.map((target) => target.datasource)])
          expect(provisioned, title).toContainEqual(one);
  });

  it('have no overlapping panels', () => {
    for (const { uid, panels } of dashboards) {
      const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
      );
      expect(new Set(taken).size, uid).toBe(taken.length);
    }
  });
});

describe('Queries', () => {
  it.each(queries.filter(({ datasource }) => datasource.type === 'prometheus'))(
    '$name uses valid PromQL and existing metrics',
    ({ expr = '' }) => expect(faultsIn(expr)).toEqual([]),
  );

  it.each(rules)('of the rule $alert$record use valid PromQL and existing metrics', ({ expr }) =>
    expect(faultsIn(expr)).toEqual([]),
  );

  it('for traces use existing span attributes', () => {
    const traceQueries = queries.filter(({ datasource }) => datasource.type === 'tempo');
    expect(traceQueries.length).toBeGreaterThan(0);
    const serve = readFileSync(
      fileURLToPath(new URL('../../../libs/kit/src/rpc/serve-calls.ts', import.meta.url)),
      'utf8',
    );
    for (const { query = '' } of traceQueries)
      for (const [, name] of query.matchAll(/span\.([\w.]+)/g)) expect(serve).toContain(`'${name}': `);
  });

  it('with a fault are detected', () => {
    expect(faultsIn('sum(rate(teaching_nothing_total[1m]))')).toEqual(['no process publishes teaching_nothing_total']);
    expect(faultsIn('sum by (room) (up)')).toEqual(['up has no label room']);
    expect(faultsIn('up{org="x"}')).toEqual(['up has no label org']);
    expect(faultsIn('sum(up')).not.toEqual([]);
  });
});
