import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const all = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, found = '']) => found)),
];

const rules = read('deploy/observability/alerts.yml');
const tests = read('deploy/observability/alerts.test.yml');
const names = all(rules, /- alert: (\w+)/g);
const partOf = (name: string): string => rules.split('- alert: ').find((part) => part.startsWith(`${name}\n`)) ?? '';

it('names only instruments there are', () => {
  const instruments = all(read('libs/kit/src/telemetry/metrics.ts'), /'((?:teaching|http|db)\.[\w.]+)'/g);
  const ofBackups = all(read('tools/backup/figures.ts'), /'(teaching_backup_\w+)'/g);
  const told = [...instruments, ...ofBackups].map((name) => name.replaceAll('.', '_'));
  const asked = all(rules, /\b((?:teaching|http|db)_(?!client_connection_pool_name\b|response_)\w+)/g);
  expect(asked.length).toBeGreaterThan(10);
  const known = told.flatMap((name) => [name, `${name}_total`, `${name}_count`, `${name}_bucket`]);
  expect(asked.filter((name) => !known.includes(name))).toEqual([]);
});

describe.each(names)('%s', (name) => {
  it('has a page that says what to do, and the page names it', () => {
    const [page = ''] = all(partOf(name), /runbook: (\S+)/g);
    expect(existsSync(join(ROOT, page)), page).toBe(true);
    expect(read(page)).toContain(`\`${name}\``);
  });

  it('is seen to fire and to fall silent', () => {
    const seen = tests.split('alertname: ').filter((part) => part.startsWith(`${name}\n`));
    expect(seen.some((part) => part.includes('exp_labels'))).toBe(true);
    expect(seen.some((part) => part.includes('exp_alerts: []'))).toBe(true);
  });
});
