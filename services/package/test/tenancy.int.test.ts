import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';

const PACKAGES = '/clazz/course-package';
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course', 'clazz'] });
});
afterAll(() => fixture?.stop());

const of = (org: string) => fixture.as({ role: 'SUPERVISOR', org });

it('the package service answers 404 to every call on a record of another org, and changes nothing', async () => {
  const { body: it } = await of(fixture.org).post(PACKAGES, { title: 'ours' });
  const stranger = of(randomUUID());
  const tries = [
    await stranger.patch(`${PACKAGES}/${it.id}`, { title: 'theirs' }),
    await stranger.delete(`${PACKAGES}/${it.id}`),
    await stranger.post(`${PACKAGES}/publish/${it.id}`),
    await stranger.post(`${PACKAGES}/item/sync`, { package_id: it.id, items: [] }),
    await stranger.get(`${PACKAGES}/item/list/${it.id}`),
    await stranger.get(`${PACKAGES}/version/list/${it.id}`),
  ];
  expect(tries.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect((await of(fixture.org).get(`${PACKAGES}/${it.id}`)).body).toEqual(it);
});
