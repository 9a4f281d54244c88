import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'package', 'clazz'] });
});
afterAll(() => fixture?.stop());

const api = () => fixture.as({ role: 'SUPERVISOR' });
const create = async (path: string, body: object): Promise<string> => {
  const created = await api().post(path, body);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return created.body.id;
};
const refusal = async (path: string): Promise<unknown> => {
  const { status, body } = await api().delete(path);
  return status === 204 ? 204 : [status, body.code, body.used_by];
};

describe('what another service uses is not deleted', () => {
  it('a category of a package', async () => {
    const id = await create('/ws/course-category', { name: 'Sold' });
    const used = await create('/clazz/course-package', { title: 'p', category_id: id });
    expect(await refusal(`/ws/course-category/${id}`)).toEqual([409, 'in_use', [{ what: 'course_package', count: 1 }]]);
    await api().delete(`/clazz/course-package/${used}`);
    expect(await refusal(`/ws/course-category/${id}`)).toBe(204);
  });

  it('a course and a section of a package’s items', async () => {
    const course_id = await create('/ws/course', { title: 'Sold' });
    const [sold, spare] = [
      await create(`/ws/course/${course_id}/section`, { title: 'sold' }),
      await create(`/ws/course/${course_id}/section`, { title: 'spare' }),
    ];
    const package_id = await create('/clazz/course-package', { title: 'p' });
    const items = [1, 2].map((n) => ({ course_id, course_section_id: sold, title: `${n}`, hours: 1 }));
    expect((await api().post('/clazz/course-package/item/sync', { package_id, items })).status).toBe(200);
    const by = [{ what: 'course_package', count: 1 }];
    expect(await refusal(`/ws/course/${course_id}`)).toEqual([409, 'in_use', by]);
    expect(await refusal(`/ws/course-section/${sold}`)).toEqual([409, 'in_use', by]);
    expect(await refusal(`/ws/course-section/${spare}`)).toBe(204);
    await api().post('/clazz/course-package/item/sync', { package_id, items: [] });
    expect(await refusal(`/ws/course/${course_id}`)).toBe(204);
    const gone = await api().post('/clazz/course-package/item/sync', { package_id, items });
    expect(gone.status).toBe(404);
  });

  it('a course of a class', async () => {
    const course_id = await create('/ws/course', { title: 'Taught' });
    await create('/clazz', { name: 'c', course_id, lead_teacher_id: 'tom' });
    expect(await refusal(`/ws/course/${course_id}`)).toEqual([409, 'in_use', [{ what: 'clazz', count: 1 }]]);
  });
});

it('a section counts as there only within its own course', async () => {
  const [mine, other] = [await create('/ws/course', { title: 'a' }), await create('/ws/course', { title: 'b' })];
  const section = await create(`/ws/course/${other}/section`, { title: 's' });
  const package_id = await create('/clazz/course-package', { title: 'p' });
  const sync = (course_id: string) =>
    api().post('/clazz/course-package/item/sync', {
      package_id,
      items: [{ course_id, course_section_id: section, title: 'x', hours: 1 }],
    });
  const refused = await sync(mine);
  expect([refused.status, refused.body.errors[0].path]).toEqual([404, '/body/items/0/course_section_id']);
  expect((await sync(other)).status).toBe(200);
});

describe('a deletion and a use at the same time', () => {
  /** Whoever comes first wins; nothing is left dangling and nothing fails inside. */
  const race = async (remove: () => Promise<{ status: number }>, use: () => Promise<{ status: number }>) => {
    const [removed, used] = await Promise.all([remove(), use()]);
    expect([`${removed.status} ${used.status}`]).toEqual([expect.stringMatching(/^(204 404|409 20[01])$/)]);
  };

  it('of a category and a course', async () => {
    for (let round = 0; round < 8; round += 1) {
      const category_id = await create('/ws/course-category', { name: `race ${round}` });
      await race(
        () => api().delete(`/ws/course-category/${category_id}`),
        () => api().post('/ws/course', { title: 'x', category_id }),
      );
    }
  });

  it('of a category and one below it', async () => {
    for (let round = 0; round < 8; round += 1) {
      const parent_id = await create('/ws/course-category', { name: `above ${round}` });
      await race(
        () => api().delete(`/ws/course-category/${parent_id}`),
        () => api().post('/ws/course-category', { name: 'below', parent_id }),
      );
    }
  });

  it('of a course and a group', async () => {
    const group = await create('/ws/course-group', { name: 'race' });
    for (let round = 0; round < 8; round += 1) {
      const course = await create('/ws/course', { title: 'x' });
      await race(
        () => api().delete(`/ws/course/${course}`),
        () => api().put(`/ws/course-group/${group}/courses`, { course_ids: [course] }),
      );
    }
  });

  it('of a course or a section and a practice', async () => {
    for (let round = 0; round < 12; round += 1) {
      const course = await create('/ws/course', { title: 'x' });
      const course_section_id = await create(`/ws/course/${course}/section`, { title: 's' });
      await race(
        () => api().delete(round % 2 === 0 ? `/ws/course/${course}` : `/ws/course-section/${course_section_id}`),
        () => api().post('/ws/lianxi', { title: 'l', course_section_id, content: { questions: [] } }),
      );
    }
  });
});
