import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readConfig, serviceConfig } from '../../../libs/kit/src/ops/config.ts';
import { gatewayConfig } from '../../../services/gateway/src/config.ts';

const PAGE = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
/** Variables for development and tests, which the page does not list. */
const UNDOCUMENTED = new Set(['CHECK_REPLIES']);
const schemas = [serviceConfig, gatewayConfig];
const variables = Object.assign({}, ...schemas.map(({ shape }) => shape)) as Record<string, z.ZodType>;

/** The rows of the tables of variables: names in the first column, meaning in the last. */
const rows = [...PAGE.matchAll(/^\| (`[A-Z][^|]*) \|[^|]*\| ([^|]*) \|$/gm)].map(([, names = '', meaning = '']) => ({
  names: [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name),
  meaning,
}));
const named = rows.flatMap(({ names }) => names);

it('docs/configuration.md lists every variable and no other', () => {
  const wanted = Object.keys(variables).filter((name) => !UNDOCUMENTED.has(name));
  expect(named.filter((name) => name !== 'OTEL_').toSorted()).toEqual(wanted.toSorted());
});

it('docs/configuration.md gives the default of every optional variable', () => {
  const words: Readonly<Record<string, string>> = { true: 'on', false: 'off', '1000000000': '1 GB' };
  for (const { names, meaning } of rows)
    for (const name of names) {
      const byDefault = variables[name]?.safeParse(undefined).data;
      if (byDefault === undefined) continue;
      const text = z.coerce.string().parse(byDefault);
      expect(meaning, name).toMatch(new RegExp(`\\b${words[text] ?? text}\\b`));
    }
});

it('readConfig names every missing or invalid variable', () => {
  expect(() => readConfig(serviceConfig, {})).toThrow(/^NATS_URL is not set.*\nSIGNING_SECRET is not set/);
  expect(() => readConfig(gatewayConfig, {})).toThrow(/JWT_ISSUER[\s\S]*JWT_AUDIENCE/);
});
