import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

const BASE = '/clazz/course-package';
let fixture: Fixture;
const teacher = () => fixture.as({ role: 'TEACHER' });
interface Row {
  id: string;
  title: string;
  price_minor: number;
}

beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course'] });
  const titles = ['100% Algebra', 'algebra_two', '代数 基础', 'ÉCOLE française', 'Geometry 😀', 'zz top'];
  for (const [index, title] of titles.entries()) {
    await teacher().post(BASE, { title, description: `about ${title}`, price_minor: (index % 3) * 100 });
  }
  await teacher().post(BASE, { title: 'hidden', active: false });
  await fixture.as({ role: 'TEACHER', sub: 'other' }).post(BASE, { title: 'of another teacher' });
});
afterAll(() => fixture?.stop());

const titles = async (query: string): Promise<string[]> => {
  const answer = await teacher().get(`${BASE}/list/org?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.items.map((row: Row) => row.title);
};

describe('the listing of packages', () => {
  it.each([
    ['keyword=ALGEBRA&sort=title', ['100% Algebra', 'algebra_two']],
    ['keyword=%25', ['100% Algebra']],
    ['keyword=_', ['algebra_two']],
    [`keyword=${encodeURIComponent('代数')}`, ['代数 基础']],
    [`keyword=${encodeURIComponent('école')}`, ['ÉCOLE française']],
    [`keyword=${encodeURIComponent('😀')}`, ['Geometry 😀']],
    ['keyword=%5C', []],
    ['keyword=nothing+like+it', []],
  ])('finds by %s', async (query, wanted) => expect(await titles(query)).toEqual(wanted));

  it('shows active ones of the org, and to teachers their own in any state', async () => {
    expect(await titles('limit=100')).not.toContain('hidden');
    expect(await titles('limit=100')).toContain('of another teacher');
    const mine = (await teacher().get(`${BASE}/list/my?limit=100`)).body.items.map((row: Row) => row.title);
    expect(mine).toContain('hidden');
    expect(mine).not.toContain('of another teacher');
    expect((await fixture.as({ role: 'STUDENT' }).get(`${BASE}/list/my`)).status).toBe(403);
    expect((await fixture.as({ role: 'STUDENT' }).get(`${BASE}/list/org`)).body.items).toEqual([]);
  });

  it.each(['title', '-title', 'price_minor', '-price_minor', 'created_at', '-updated_at', 'published_at'])(
    'pages by %s without skipping or repeating, while rows are inserted',
    async (sort) => {
      const all = (await teacher().get(`${BASE}/list/org?limit=100&sort=${sort}`)).body.items.map((row: Row) => row.id);
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const next: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { body } = await teacher().get(`${BASE}/list/org?limit=2&sort=${sort}${next}`);
        seen.push(...body.items.map((row: Row) => row.id));
        cursor = body.next_cursor;
        await teacher().post(BASE, { title: `m ${sort}`, price_minor: 100, description: 'late' });
        if (seen.length > 300) throw new Error('pages never end');
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => all.includes(id))).toEqual(all);
      await fixture.sql(`delete from package.course_package where title = $1`, [`m ${sort}`]);
    },
  );

  it('refuses a cursor of another list, org or sort', async () => {
    const { body } = await teacher().get(`${BASE}/list/org?limit=1&sort=title`);
    const cursor = body.next_cursor;
    const tries = [
      await teacher().get(`${BASE}/list/org?limit=1&sort=-title&cursor=${cursor}`),
      await teacher().get(`${BASE}/list/my?limit=1&sort=title&cursor=${cursor}`),
      await teacher().get(`${BASE}/list/org?limit=1&sort=title&keyword=a&cursor=${cursor}`),
      await teacher().get(`${BASE}/list/org?limit=1&sort=title&cursor=${cursor}A`),
      await fixture
        .as({ role: 'TEACHER', org: crypto.randomUUID() })
        .get(`${BASE}/list/org?limit=1&sort=title&cursor=${cursor}`),
    ];
    expect(tries.map((answer) => answer.status)).toEqual([400, 400, 400, 400, 400]);
    expect((await teacher().get(`${BASE}/list/org?limit=3&sort=title&cursor=${cursor}`)).status).toBe(200);
  });
});
