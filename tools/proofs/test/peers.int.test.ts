import { randomUUID } from 'node:crypto';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { packageCalls } from '../../../libs/contracts/src/index.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { peopleOf } from './people.ts';
import { replyToCall } from './reply-to-call.ts';

let fixture: Fixture;
let peer: NatsConnection;
let reply: unknown;
const { teacher } = peopleOf(() => fixture);

beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
  peer = await connect({ servers: fixture.nats.url, user: 'course', pass: inject('stack').secrets.nats.course });
  peer.subscribe('call.course.*.*.>', {
    callback: (_error, message) => replyToCall(message, { status: 200 }, JSON.stringify(reply)),
  });
  await peer.flush();
});
afterAll(async () => {
  await peer?.close();
  await fixture?.stop();
});

it('the calling service checks the answer of a peer service against its contract', async () => {
  const body = { title: 'T', category_id: randomUUID() };
  reply = { category_ids: [], course_ids: [], course_section_ids: [] };
  await teacher().ok(packageCalls.createPackage, { body });
  reply = { category_ids: 'none' };
  // Another category, because the existence of the first one is cached.
  const answer = await teacher().post('/clazz/course-package', { ...body, category_id: randomUUID() });
  expect(answer.status).toBe(500);
  expect(answer.body).toMatchObject({ code: 'internal' });
  expect(JSON.stringify(answer.body)).not.toContain('category_ids');
  expect(await fixture.sql('select 1 from package.course_package')).toHaveLength(1);
  expect(fixture.logged().map(({ msg }) => msg)).toContain('call failed');
});
