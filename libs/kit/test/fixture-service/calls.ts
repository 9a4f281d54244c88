import { call, STAFF } from '@teaching/contracts';
import { z } from 'zod';

const body = z.strictObject({ title: z.string().default('') }).optional();
const output = z.object({ title: z.string() });
const common = { body, output, writes: false } as const;
const OWN = { TEACHER: 'owner' } as const;
const people = { ...common, roles: STAFF, access: 'all' } as const;

/** Calls of the toy service that no API has: what they do is up to each test. */
export const fixtureServiceCalls = {
  read: call({ ...people, id: 'course.toy.read', summary: 'Reads' }),
  write: call({ ...people, id: 'course.toy.write', summary: 'Writes', writes: true }),
  audited: call({ ...people, id: 'course.toy.audited', summary: 'Reads, and tells that it did', audited: true }),
  owned: call({ ...people, id: 'course.toy.owned', summary: 'Writes what is theirs', writes: true, access: OWN }),
  seen: call({ ...people, id: 'course.toy.seen', summary: 'Reads what is theirs', access: OWN }),
  open: call({ ...common, id: 'course.toy.open', summary: 'For anyone', roles: 'anyone' }),
  internal: call({
    ...common,
    id: 'course.toy.internal',
    summary: 'For services',
    roles: 'service',
    called_by: ['course'],
  }),
  operated: call({
    ...common,
    id: 'course.toy.operated',
    summary: 'For tools',
    roles: 'service',
    called_by: ['gateway'],
    scope: 'all orgs',
  }),
};

/** Nobody answers this one. */
export const unansweredCall = call({
  ...common,
  id: 'package.toy.nothing',
  summary: 'Is not there',
  roles: 'service',
  called_by: ['course'],
});
