import { call, STAFF } from '@teaching/contracts';
import { z } from 'zod';

const body = z.strictObject({ title: z.string().default('') }).optional();
const output = z.object({ title: z.string() });
const common = { body, output, writes: false } as const;
const OWN = { TEACHER: 'owner' } as const;
const people = { ...common, roles: STAFF, access: 'all' } as const;

/** The calls of the fixture service, which are in no API. Each test defines their actions. */
export const fixtureServiceCalls = {
  read: call({ ...people, id: 'course.fixture.read', summary: 'Reads' }),
  write: call({ ...people, id: 'course.fixture.write', summary: 'Writes', writes: true }),
  audited: call({
    ...people,
    id: 'course.fixture.audited',
    summary: 'Reads, and stores an audit entry',
    audited: true,
  }),
  owned: call({
    ...people,
    id: 'course.fixture.owned',
    summary: 'Writes a record that the caller owns',
    writes: true,
    access: OWN,
  }),
  seen: call({ ...people, id: 'course.fixture.seen', summary: 'Reads a record that the caller owns', access: OWN }),
  open: call({ ...common, id: 'course.fixture.open', summary: 'For anyone', roles: 'anyone' }),
  internal: call({
    ...common,
    id: 'course.fixture.internal',
    summary: 'For services',
    roles: 'service',
    called_by: ['course'],
  }),
  operated: call({
    ...common,
    id: 'course.fixture.operated',
    summary: 'For tools',
    roles: 'service',
    called_by: ['gateway'],
    scope: 'all orgs',
  }),
};

/** A call that no service answers. */
export const unansweredCall = call({
  ...common,
  id: 'package.fixture.nothing',
  summary: 'Is not served',
  roles: 'service',
  called_by: ['course'],
});
