import { randomUUID } from 'node:crypto';
import { WORDS } from '../load/packages.ts';
import type { PackageSeed } from '../load/work.ts';
import type { System } from '../system/system.ts';
import { type Preparing, preparing } from './api.ts';
import type { Sizes } from './sizes.ts';

const wordAt = (n: number): string => WORDS[n % WORDS.length] ?? '';
const titleOf = (n: number): string => `${wordAt(n)} and ${wordAt(7 * n + 3)} with ${wordAt(n * n + 5)}, ${n}`;

const makePackage = async ({ make, send }: Preparing, seed: Omit<PackageSeed, 'id'>, n: number, count: number) => {
  const { token, course } = seed;
  const path = '/api/v1/clazz/course-package';
  const price_minor = 10_000 + ((n * 7_919) % 50_000);
  const body = { title: titleOf(n), price_minor, currency: 'EUR', total_hours: String(count) };
  const id = await make({ method: 'POST', path, token, body });
  const items = Array.from({ length: count }, (_, index) => ({
    course_id: course,
    title: `${titleOf(n + index)} lesson`,
    hours: '1.00',
    note: index % 4 === 0 ? 'bring the exercise book' : null,
  }));
  await send({ method: 'POST', path: `${path}/item/sync`, token, body: { package_id: id, items } });
  return { ...seed, id };
};

/** Organizations with packages. */
export const seedPackages = (system: System, { orgs: count, packages, items }: Sizes): Promise<PackageSeed[]> =>
  preparing(system.address, async (api) => {
    const orgs = await api.each(Array.from({ length: count }), async () => {
      const org = randomUUID();
      const token = await system.token({ org, sub: 'principal', role: 'SUPERVISOR' });
      const body = { title: 'A course' };
      return { org, token, course: await api.make({ method: 'POST', path: '/api/v1/ws/course', token, body }) };
    });
    // One of each org in turn, so that neighbours in the list do not share an org.
    const wanted = Array.from({ length: packages }, (_, n) => orgs.map((org) => ({ org, n }))).flat();
    return api.each(wanted, ({ org, n }) => makePackage(api, org, n, items));
  });
