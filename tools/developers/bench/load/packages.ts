import { z } from 'zod';
import type { Connection } from './connection.ts';
import type { Step } from './script.ts';
import { turns } from './turns.ts';
import type { PackageSeed } from './work.ts';

const BASE = '/api/v1/clazz/course-package';

/** A keyword is in about every seventh title. */
export const WORDS =
  `algebra geometry violin piano chess pottery swimming drawing grammar poetry physics biology history dancing theatre
  weaving botany logic singing astronomy`.split(/\s+/);

export const listOf = (id: string): string => `${BASE}/item/list/${id}`;

/** W1: the 20 items of a package. */
export const listItems = (packages: readonly PackageSeed[]): Step => {
  const next = turns(packages);
  return async (connection) => {
    const { token, id } = next();
    await connection.send({ method: 'GET', path: listOf(id), token });
  };
};

/** W3: packages of an org by keyword, sorted, one page. */
export const listOrg = (packages: readonly PackageSeed[]): Step => {
  const next = turns(packages);
  const word = turns(WORDS);
  return async (connection) => {
    const path = `${BASE}/list/org?keyword=${word()}&sort=title&limit=20`;
    await connection.send({ method: 'GET', path, token: next().token });
  };
};

const Items = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      course_id: z.string(),
      course_section_id: z.string().nullable(),
      title: z.string(),
      hours: z.string(),
      note: z.string().nullable(),
    }),
  ),
});
type Item = z.infer<typeof Items>['items'][number];

const CHANGED = 3;

/** The next wanted list: three items changed, the last one gone, another in its place. */
const edited = (items: readonly Item[], course_id: string, round: number): Partial<Item>[] => {
  const kept = items.slice(0, -1);
  const isChanged = (index: number): boolean => (index + CHANGED * round) % kept.length < CHANGED;
  const list = kept.map((item, index) => (isChanged(index) ? { ...item, title: `Lesson in round ${round}` } : item));
  return [...list, { course_id, title: `New in round ${round}`, hours: '1.00', note: null }];
};

interface Editing {
  seed: PackageSeed;
  items?: readonly Item[];
}

/** W2: the items of a package as a new list. A package is edited by one connection at a time. */
export const syncItems = (packages: readonly PackageSeed[]): Step => {
  const free: Editing[] = packages.map((seed) => ({ seed }));
  let round = 0;
  const stored = async (connection: Connection, { token, id }: PackageSeed) =>
    Items.parse(await connection.json({ method: 'GET', path: listOf(id), token })).items;
  return async (connection) => {
    const editing = free.shift();
    if (editing === undefined) throw new Error('More connections than packages');
    const { token, id, course } = editing.seed;
    const items = editing.items ?? (await stored(connection, editing.seed));
    round += 1;
    const body = { package_id: id, items: edited(items, course, round) };
    const answer = await connection.json({ method: 'POST', path: `${BASE}/item/sync`, token, body });
    free.push({ seed: editing.seed, items: Items.parse(answer).items });
  };
};

const Copied = z.object({ id: z.string() });

/** A package is copied with its items, and the copy published: it is locked for good, so each time it is another one. */
export const publishCopy = (packages: readonly PackageSeed[]): Step => {
  const next = turns(packages);
  return async (connection, note) => {
    const { token, id } = next();
    const copied = await connection.json({ method: 'POST', path: `${BASE}/${id}/copy`, token, body: {} });
    const since = performance.now();
    await connection.send({ method: 'POST', path: `${BASE}/publish/${Copied.parse(copied).id}`, token });
    note('publish', performance.now() - since);
  };
};
