import type { packageCalls, packageReferenceCalls } from '@teaching/contracts';
import { notNull, bigint, type Handler, idsBeingDeleted, statement, uuids } from '@teaching/kit';

const MISSING = statement(
  `select array(select w.id from unnest($2::uuid[]) as w(id)
                where (select p.id from course_package p where p.org_id = $1 and p.id = w.id) is null) as package_ids,
     ${idsBeingDeleted('$2::uuid[]')} as leaving`,
  { package_ids: notNull(uuids()), leaving: notNull(uuids()) },
);

/** Which packages of the org do not exist, and which are being deleted, in one snapshot. */
export const checkReferences: Handler<typeof packageCalls.checkReferences> = async ({ body }, session) => {
  const found = await session.queryOne(MISSING, session.org_id, body.package_ids);
  return found ?? { package_ids: [], leaving: [] };
};

const COUNT = { packages: notNull(bigint()) };
const BY_CATEGORY = statement(
  'select count(*) as packages from course_package where org_id = $1 and category_id = $2',
  COUNT,
);
const BY_COURSE = statement(
  `select count(distinct package_id) as packages from course_package_item
   where org_id = $1 and course_id = $2 and ($3::uuid is null or course_section_id = $3)`,
  COUNT,
);

/** Counts the packages that refer to a record. Published versions are not counted, since each contains a full copy. */
export const countReferences: Handler<typeof packageReferenceCalls.countReferences> = async ({ body }, session) => {
  session.references.setFence('category_id' in body ? body.category_id : (body.course_section_id ?? body.course_id));
  const found =
    'category_id' in body
      ? await session.queryOne(BY_CATEGORY, session.org_id, body.category_id)
      : await session.queryOne(BY_COURSE, session.org_id, body.course_id, body.course_section_id ?? null);
  return { packages: found?.packages ?? 0 };
};

const BY_OWNER = statement(
  'select count(*) as packages from course_package where org_id = $1 and teacher_id = $2',
  COUNT,
);

export const countPersonReferences: Handler<typeof packageReferenceCalls.countPerson> = async ({ body }, session) =>
  (await session.queryOne(BY_OWNER, session.org_id, body.user_id)) ?? { packages: 0 };
