import { lianxiCalls, LianxiRow } from '@teaching/contracts';
import { containing, orElse, pagedList, prepared } from '@teaching/kit';
import { extensionOf, IN_FORCE } from './in-force.ts';
import { LIANXI } from './lianxi.table.ts';
import { NAMES } from './named.ts';
import { clazzesOfAnyone } from './references.ts';

const LISTED = LIANXI.wire(LianxiRow.omit({ due_at: true, closes_at: true }));

/** Begins at the student's own assignments, so that what others have costs nothing. */
const OWN = `join (select lianxi_id from lianxi_student where org_id = ? and student_id = ?
  union select id from lianxi where org_id = ? and clazz_id = any(?::uuid[])
  union select lianxi_id from submission where org_id = ? and student_id = ?) own on own.lianxi_id = l.id`;

const listOf = <const J extends Record<string, string>>({ due_at, closes_at }: typeof IN_FORCE, joins: J) =>
  pagedList({
    columns: `${LISTED.of('l')}, ${due_at} as due_at, ${closes_at} as closes_at, ${NAMES.columns}`,
    shape: { ...LISTED.shape, ...LIANXI.some('due_at', 'closes_at').shape, ...NAMES.shape },
    from: 'lianxi l',
    org: 'l.org_id',
    id: { by: 'l.id', type: 'uuid' },
    sorts: {
      title: { by: 'l.title', type: 'text' },
      due_at: { by: orElse(due_at, 'infinity'), type: 'timestamptz' },
      created_at: { by: 'l.created_at', type: 'timestamptz' },
      updated_at: { by: 'l.updated_at', type: 'timestamptz' },
    },
    where: {
      course_id: 'l.course_id = ?',
      course_section_id: 'l.course_section_id = ?',
      clazz_id: 'l.clazz_id = ?',
      teacher_id: 'l.teacher_id = ?',
      keyword: containing('l.search'),
    },
    joins,
  });
const forStaff = listOf({ due_at: 'l.due_at', closes_at: 'l.closes_at' }, {});
const forStudents = listOf(IN_FORCE, { own: OWN, extension: extensionOf('?') });

export const listLianxi = prepared(lianxiCalls.listLianxi, {
  prepare: ({ query }, session) => clazzesOfAnyone(session, session.reach.personAsked(query.student_id)),
  run: async ({ query: { student_id: asked, ...query } }, session, clazz_ids) => {
    const student_id = session.reach.personAsked(asked);
    if (student_id === undefined) return forStaff(session, query, query);
    const { org_id } = session;
    const own = [org_id, student_id, org_id, clazz_ids, org_id, student_id];
    return forStudents(session, query, query, { own, extension: student_id });
  },
});
