import { expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../../../libs/contracts/src/index.ts';
import { routes } from '../../../libs/kit/src/index.ts';

// Lines that must not compile. `npm run check` runs `tsc`, which fails when such a line compiles.

const spec = { id: 'a.b.read', summary: 'Reads', writes: false, output: z.object({ n: z.int() }) } as const;

it('refuses to compile a call without callers', () => {
  // @ts-expect-error -- `roles` is missing
  expect(call(spec).id).toBe('a.b.read');
  // @ts-expect-error -- `roles` is empty
  expect(call({ ...spec, roles: [] }).id).toBe('a.b.read');
  // @ts-expect-error -- `called_by` is missing
  expect(call({ ...spec, roles: 'service' }).id).toBe('a.b.read');
});

it('refuses to compile a call for people without access rules', () => {
  // @ts-expect-error -- the access rule of the role is missing
  expect(() => call({ ...spec, roles: ['TEACHER'] })).toThrow('no access rule for the role TEACHER');
  // @ts-expect-error -- the access rule does not exist
  expect(call({ ...spec, roles: ['TEACHER'], access: 'neighbour' }).id).toBe('a.b.read');
  expect(call({ ...spec, roles: ['SUPERVISOR'] }).access).toEqual({ SUPERVISOR: 'all' });
});

it('refuses to compile a service without a handler or with a handler of another answer', () => {
  const calls = { read: call({ ...spec, roles: 'service', called_by: ['stats'] }) };
  // @ts-expect-error -- the handler is missing
  expect(() => routes(calls, {})).toThrow('no handler for a.b.read');
  // @ts-expect-error -- the answer differs from the contract
  expect(routes(calls, { read: async () => ({ n: 'one' }) })).toHaveLength(1);
  expect(routes(calls, { read: async () => ({ n: 1 }) })).toHaveLength(1);
});
