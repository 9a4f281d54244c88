import { p } from '@mikro-orm/postgresql';
import { expect, it } from 'vitest';
import { bigint, hundredths, instant, period } from './columns.ts';
import { typeOf } from './type-of.ts';

it.each([
  [p.uuid().primary(), 'uuid'],
  [p.text().nullable(), 'text'],
  [p.enum(['a', 'b']), 'text'],
  [p.integer(), 'int'],
  [bigint(), 'bigint'],
  [hundredths(), 'numeric(12,2)'],
  [instant(), 'timestamptz(3)'],
  [period(), 'tstzrange'],
])('knows what Postgres calls a type (%#)', (column, type) => {
  expect(typeOf(column)).toBe(type);
});
