import { isTrue, present, refused, same } from '../expectation.ts';
import type { Stage } from '../scenario-stage.ts';
import type { School } from './school.ts';

/** The sold package and its version. */
export interface Sold {
  package_id: string;
  version: number;
}

const filled = async ({ as, say }: Stage, { category_id, courses, sections }: School): Promise<string> => {
  say('A package is a course template that is sold. It belongs to its teacher; only a supervisor sets its items.');
  const body = {
    title: '汉语入门套餐',
    description: 'Twenty hours from 你好 to ordering dinner',
    category_id,
    price_minor: 300_000,
    currency: 'EUR',
    total_hours: '20.00',
    validity_days: 365,
  };
  const { id } = (await as.li.createPackage({ body })).data;
  await refused(as.li.publishPackage({ path: { id } }), 409, 'package_empty');
  const items = sections.map((course_section_id, index) => ({
    course_id: courses.chinese,
    course_section_id,
    title: `第${index + 1}课`,
    hours: '6.00',
  }));
  await refused(as.li.syncPackageItems({ body: { package_id: id, items } }), 403, 'forbidden');
  const synced = (await as.sun.syncPackageItems({ body: { package_id: id, items } })).data;
  same('items created', synced.created, items.length);

  say('The same list again changes nothing; a changed list updates, adds and removes in one transaction.');
  const [first, second] = synced.items.map(({ id, course_id, course_section_id, title, hours }) => ({
    id,
    course_id,
    course_section_id,
    title,
    hours,
  }));
  const kept = [present('the first item', first), present('the second item', second)];
  const speaking = { course_id: courses.chinese, title: '会话', hours: '8.00' };
  const changed = await as.sun.syncPackageItems({ body: { package_id: id, items: [...kept, speaking] } });
  const { created, updated, deleted, unchanged } = changed.data;
  same('the counts', { created, updated, deleted, unchanged }, { created: 1, updated: 0, deleted: 1, unchanged: 2 });
  return id;
};

export const packages = async (stage: Stage, school: School): Promise<Sold> => {
  const { as, say, chapter } = stage;
  chapter('A package: published, locked, changed, published again');
  const id = await filled(stage, school);
  const path = { id };

  say('Publishing takes a snapshot with a hash and locks the package.');
  const published = (await as.li.publishPackage({ path })).data;
  const snapshot = present('the snapshot', published.published_snapshot);
  isTrue('the hash is a SHA-256', /^[0-9a-f]{64}$/.test(snapshot.sha256));
  same('items in the snapshot', snapshot.items.length, 3);

  say('Now neither the package nor its items can be edited.');
  await refused(as.li.updatePackage({ path, body: { price_minor: 1 } }), 409, 'package_published');
  await refused(as.sun.syncPackageItems({ body: { package_id: id, items: [] } }), 409, 'package_published');
  const shown = (await as.ben.listPackages({ query: { keyword: '入门' } })).data.items;
  same(
    'the packages that students see',
    shown.map((row) => row.id),
    [id],
  );

  say('After unpublishing, it can be edited again, and the sold version stays provable. Publishing creates version 2.');
  const open = (await as.li.unpublishPackage({ path })).data;
  same('published_at', open.published_at, null);
  await as.li.updatePackage({ path, body: { price_minor: 330_000 } }, { if_match: `"${open.version}"` });
  await refused(
    as.li.updatePackage({ path, body: { price_minor: 1 } }, { if_match: `"${open.version}"` }),
    412,
    'version_mismatch',
  );
  same('the new version', (await as.li.publishPackage({ path })).data.published_version, 2);
  const diff = (await as.li.comparePackageVersions({ path, query: { from: '1', to: '2' } })).data;
  same('the difference', diff.fields, [{ field: 'price_minor', from: 300_000, to: 330_000 }]);
  const first = (await as.sun.getPackageVersion({ path: { id, number: '1' } })).data;
  same('version 1 as it was sold', first.snapshot.sha256, snapshot.sha256);
  return { package_id: id, version: 1 };
};
