import { expect, it } from 'vitest';
import { z } from 'zod';
import { several } from './page.ts';

const STATUS = several(z.enum(['draft', 'active']));
const messageOf = (value: string): string | undefined => STATUS.safeParse(value).error?.issues[0]?.message;

it('a filter accepts one value or several values separated by commas, and drops duplicates', () => {
  expect(STATUS.parse('draft')).toEqual(['draft']);
  expect(STATUS.parse('active,draft,active')).toEqual(['active', 'draft']);
});

it.each(['', 'draft,', 'draft,gone', 'draft, active'])('a filter refuses other values: %j', (value) => {
  expect(messageOf(value)).toContain('Invalid option');
});

it('a filter accepts at most 100 values', () => {
  const values = Array.from({ length: 101 }, (_, n) => `v${n}`);
  const names = several(z.string());
  expect(names.safeParse(values.slice(1).join()).success).toBe(true);
  expect(names.safeParse(values.join()).success).toBe(false);
});
