import { expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../../../libs/contracts/src/index.ts';
import { routes } from '../../../libs/kit/src/index.ts';

// What must not compile: `tsc` fails where such a line does, so each of these is held by `npm run check`.

const spec = { id: 'a.b.read', summary: 'Reads', writes: false, output: z.object({ n: z.int() }) } as const;

it('a call without callers', () => {
  // @ts-expect-error -- nobody is named who may call
  expect(call(spec).id).toBe('a.b.read');
  // @ts-expect-error -- a list of nobody
  expect(call({ ...spec, roles: [] }).id).toBe('a.b.read');
  // @ts-expect-error -- services, but not which
  expect(call({ ...spec, roles: 'service' }).id).toBe('a.b.read');
});

it('a call for people without access rules', () => {
  // @ts-expect-error -- which packages a teacher may touch is open
  expect(() => call({ ...spec, roles: ['TEACHER'] })).toThrow('no access rule for the role TEACHER');
  // @ts-expect-error -- there is no such rule
  expect(call({ ...spec, roles: ['TEACHER'], access: 'neighbour' }).id).toBe('a.b.read');
  expect(call({ ...spec, roles: ['SUPERVISOR'] }).access).toEqual({ SUPERVISOR: 'all' });
});

it('a service without a handler, or with one that answers something else', () => {
  const calls = { read: call({ ...spec, roles: 'service', called_by: ['stats'] }) };
  // @ts-expect-error -- nothing handles the call
  expect(() => routes(calls, {})).toThrow('no handler for a.b.read');
  // @ts-expect-error -- the answer is not what the contract says
  expect(routes(calls, { read: async () => ({ n: 'one' }) })).toHaveLength(1);
  expect(routes(calls, { read: async () => ({ n: 1 }) })).toHaveLength(1);
});
