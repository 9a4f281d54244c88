import { packageCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

type Query = Request<typeof packageCalls.listPackages>['query'];

let fixture: Fixture;
const { teacher, student, stranger } = peopleOf(() => fixture);

beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course'] });
  const titles = ['100% Algebra', 'algebra_two', '代数 基础', 'ÉCOLE française', 'Geometry 😀', 'zz top'];
  for (const [index, title] of titles.entries()) {
    const body = { title, description: `about ${title}`, price_minor: (index % 3) * 100, currency: 'EUR' };
    await teacher().ok(packageCalls.createPackage, { body });
  }
  await teacher().ok(packageCalls.createPackage, { body: { title: 'hidden', active: false } });
  await teacher('other').ok(packageCalls.createPackage, { body: { title: 'of another teacher' } });
});
afterAll(() => fixture?.stop());

const page = (query: Query) => teacher().ok(packageCalls.listPackages, { query });
const titles = async (query: Query): Promise<string[]> => (await page(query)).items.map((row) => row.title);

describe('The list of packages', () => {
  it.each<[string, string[], Query?]>([
    ['ALGEBRA', ['100% Algebra', 'algebra_two'], { sort: 'title' }],
    ['%', ['100% Algebra']],
    ['_', ['algebra_two']],
    ['代数', ['代数 基础']],
    ['école', ['ÉCOLE française']],
    ['😀', ['Geometry 😀']],
    ['\\', []],
    ['nothing like it', []],
  ])('finds packages by the keyword %s', async (keyword, wanted, more = {}) =>
    expect(await titles({ keyword, ...more })).toEqual(wanted),
  );

  it('contains active packages of the org; a teacher’s own list also contains their inactive packages', async () => {
    expect(await titles({ limit: '100' })).not.toContain('hidden');
    expect(await titles({ limit: '100' })).toContain('of another teacher');
    const mine = await teacher().ok(packageCalls.listMyPackages, { query: { limit: '100' } });
    expect(mine.items.map((row) => row.title)).toContain('hidden');
    expect(mine.items.map((row) => row.title)).not.toContain('of another teacher');
    expect((await student().refused(packageCalls.listMyPackages)).code).toBe('forbidden');
    expect((await student().ok(packageCalls.listPackages)).items).toEqual([]);
  });

  it.each(['title', '-title', 'price_minor', '-price_minor', 'created_at', '-updated_at', 'published_at'] as const)(
    'pages by %s without skipping or repeating, while rows are inserted',
    async (sort) => {
      const all = (await page({ limit: '100', sort })).items.map((row) => row.id);
      const seen: string[] = [];
      for await (const rows of pagesOf((cursor) => page({ limit: '2', sort, cursor }))) {
        seen.push(...rows.map((row) => row.id));
        const late = { title: `m ${sort}`, price_minor: 100, currency: 'EUR', description: 'late' };
        await teacher().ok(packageCalls.createPackage, { body: late });
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => all.includes(id))).toEqual(all);
      await fixture.sql(`delete from package.course_package where title = $1`, [`m ${sort}`]);
    },
  );

  it('refuses a cursor of another list, org or sort', async () => {
    const cursor = (await page({ limit: '1', sort: 'title' })).next_cursor ?? '';
    const query = { limit: '1', sort: 'title', cursor };
    for (const refused of [
      await teacher().refused(packageCalls.listPackages, { query: { ...query, sort: '-title' } }),
      await teacher().refused(packageCalls.listMyPackages, { query }),
      await teacher().refused(packageCalls.listPackages, { query: { ...query, keyword: 'a' } }),
      await teacher().refused(packageCalls.listPackages, { query: { ...query, cursor: `${cursor}A` } }),
      await stranger('TEACHER').refused(packageCalls.listPackages, { query }),
    ]) {
      expect(refused).toMatchObject({ code: 'invalid_request', errors: [{ path: '/query/cursor' }] });
    }
    expect(await titles({ limit: '3', sort: 'title', cursor })).toHaveLength(3);
  });
});
