import { describe, expect, it } from 'vitest';
import { toWireInstant } from './pool.ts';

describe('Converting an instant from Postgres', () => {
  it.each([
    ['2026-11-20 18:06:00.123+00', '2026-11-20T18:06:00.123Z'],
    ['2026-11-20 18:06:00.12+00', '2026-11-20T18:06:00.120Z'],
    ['2026-11-20 18:06:00.1+00', '2026-11-20T18:06:00.100Z'],
    ['2026-11-20 18:06:00+00', '2026-11-20T18:06:00.000Z'],
    ['2026-11-20 18:06:00.123456+00', '2026-11-20T18:06:00.123Z'],
  ])('converts %s to %s', (written, sent) => {
    expect(toWireInstant(written)).toBe(sent);
  });
});
