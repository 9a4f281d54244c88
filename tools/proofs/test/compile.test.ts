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
  expect(call({ ...spec, who: [] }).id).toBe('a.b.read');
  // @ts-expect-error -- services, but not which
  expect(call({ ...spec, who: 'service' }).id).toBe('a.b.read');
});

it('a call of people that does not say whose things they reach', () => {
  // @ts-expect-error -- which packages a teacher may touch is open
  expect(() => call({ ...spec, who: ['TEACHER'] })).toThrow('whose things a TEACHER reaches');
  // @ts-expect-error -- there is no such rule
  expect(call({ ...spec, who: ['TEACHER'], whose: 'neighbour' }).id).toBe('a.b.read');
  expect(call({ ...spec, who: ['SUPERVISOR'] }).whose).toEqual({ SUPERVISOR: 'all' });
});

it('a service without a handler, or with one that answers something else', () => {
  const calls = { read: call({ ...spec, who: 'service', asked_by: ['stats'] }) };
  // @ts-expect-error -- nothing handles the call
  expect(() => routes(calls, {})).toThrow('no handler for a.b.read');
  // @ts-expect-error -- the answer is not what the contract says
  expect(routes(calls, { read: async () => ({ n: 'one' }) })).toHaveLength(1);
  expect(routes(calls, { read: async () => ({ n: 1 }) })).toHaveLength(1);
});
