import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8');
const asLabel = (name: string): string => name.replaceAll('.', '_');
/** The keys of an object literal. */
const keysIn = (literal: string): string[] =>
  [...literal.matchAll(/'([\w.]+)':|\b(\w+)\b(?=\s*[:,}])/g)].map(([, quoted, plain]) =>
    asLabel(quoted ?? plain ?? ''),
  );

/** Labels that Prometheus adds to each series, and series about Prometheus itself. */
const BY_PROMETHEUS = ['job', 'instance'];
const OF_PROMETHEUS: readonly (readonly [name: string, labels: readonly string[]])[] = [
  ['up', []],
  ['ALERTS', ['alertname', 'alertstate', 'severity']],
];

/** A declaration such as `const shed = counter('teaching.call.shed', …)`: variable, kind and name. */
const DECLARED = /const (\w+) = (counter|observedCounter|histogram)\(\s*'([\w.]+)'/g;
const SERIES = { counter: ['_total'], histogram: ['_count', '_sum', '_bucket'] };

const recordedSeries = (): [string, string[]][] => {
  const text = read('libs/kit/src/telemetry/metrics.ts');
  return [...text.matchAll(DECLARED)].flatMap(([, variable = '', kind = '', name = '']) => {
    const uses = [...text.matchAll(RegExp(`\\b${variable}\\(\\)\\.(?:add|record)\\(([^;]*?)\\)[,;]`, 'g'))];
    const labels = uses.flatMap(([, values = '']) => keysIn(/\{[^]*\}/.exec(values)?.[0] ?? ''));
    const isHistogram = kind === 'histogram';
    const series = isHistogram ? SERIES.histogram : SERIES.counter;
    return series.map((end): [string, string[]] => [
      `${asLabel(name)}${end}`,
      [...labels, ...(end === '_bucket' ? ['le'] : [])],
    ]);
  });
};

const observedSeries = (): [string, string[]][] =>
  [
    'libs/kit/src/ops/instance-metrics.ts',
    'libs/kit/src/ops/dependency-metrics.ts',
    'services/gateway/src/app.ts',
    'services/clazz/src/audit/verify-chains.ts',
  ].flatMap((file) => {
    const text = read(file);
    const literalOf = (name: string): string => RegExp(`const ${name} = (\\{[^}]*\\})`).exec(text)?.[1] ?? '';
    return [...text.matchAll(/\bsee\(\s*'([\w.]+)',([^;]*);/g)].map(
      ([, name = '', values = '']): [string, string[]] => [
        asLabel(name),
        keysIn(
          values.replaceAll(/(?:\.\.\.)?\b(of|lanes)\b/g, (_all, one: string) => literalOf(one).slice(1, -1) || one),
        ),
      ],
    );
  });

/** Series that the backup publishes. */
const backupSeries = (): [string, string[]][] =>
  [...read('tools/operators/backup/backup-metrics.ts').matchAll(/'(teaching_backup_\w+)'/g)].map(([, name = '']) => [
    name,
    ['duty'],
  ]);

/** All series with their labels, read from the source. */
export const series = (): Map<string, Set<string>> => {
  const result = new Map<string, Set<string>>();
  for (const [name, labels] of [...recordedSeries(), ...observedSeries(), ...backupSeries(), ...OF_PROMETHEUS])
    result.set(name, new Set([...(result.get(name) ?? BY_PROMETHEUS), ...labels]));
  return result;
};
