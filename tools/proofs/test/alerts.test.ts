import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const all = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, found = '']) => found)),
];

const rules = read('deploy/observability/alerts.yml');
const tests = read('deploy/observability/alerts.test.yml');
const names = all(rules, /- alert: (\w+)/g);
const partOf = (name: string): string => rules.split('- alert: ').find((part) => part.startsWith(`${name}\n`)) ?? '';

describe.each(names)('The alert %s', (name) => {
  it('has a runbook that mentions it', () => {
    const [page = ''] = all(partOf(name), /runbook: (\S+)/g);
    expect(existsSync(join(ROOT, page)), page).toBe(true);
    expect(read(page)).toContain(`\`${name}\``);
  });

  it('has rule tests in which it fires and in which it is silent', () => {
    const cases = tests.split('alertname: ').filter((part) => part.startsWith(`${name}\n`));
    expect(cases.some((part) => part.includes('exp_labels'))).toBe(true);
    expect(cases.some((part) => part.includes('exp_alerts: []'))).toBe(true);
  });
});
