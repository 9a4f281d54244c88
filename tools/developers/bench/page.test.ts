import { expect, it } from 'vitest';
import type { Row } from './measure/summary.ts';
import { page } from './page.ts';

const row = (contender: string, rate: number, gateway: number): Row => ({
  scenario: 'w1',
  connections: 16,
  contender,
  rate,
  times: { p50: 1, p99: 2 },
  cpuUs: gateway,
  parts: { gateway, services: 0, broker: 0, Postgres: 0, others: 0 },
  others: {},
  idleShare: 0,
  othersShare: 0,
});

it('shows rates and CPU as shares of the most in their scenario', () => {
  const text = page({ rows: [row('present', 1_500, 300), row('plain on present', 3_000, 150)] });
  expect(text).toContain('<div class="bar" style="width:50.0%">');
  expect(text).toContain('<div class="bar plain" style="width:100.0%">');
  expect(text).toContain('title="gateway 300 us" style="width:100.0%"');
  expect(text).toContain('title="gateway 150 us" style="width:50.0%"');
});

it('takes names as text', () => {
  expect(page({ rows: [row('<b>', 1, 1)] })).toContain('<td>&lt;b&gt;');
});
