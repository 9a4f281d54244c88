import { lianxiCalls, type LianxiRow } from '@teaching/contracts';
import { type Filter, isStaff, pagedList, prepared } from '@teaching/kit';
import { containsPattern } from '@teaching/kit';
import { equals } from '../shared/list.ts';
import { LIANXI_COLUMNS } from './lianxi.table.ts';
import { clazzesOfCaller } from './references.ts';

const listOf = (due: string, from: string) =>
  pagedList<LianxiRow, 'title' | 'due_at' | 'created_at' | 'updated_at'>({
    columns: `${LIANXI_COLUMNS}, ${due} as due_at`,
    from,
    id: { by: 'l.id', type: 'uuid' },
    sorts: {
      title: { by: 'l.title', type: 'text' },
      due_at: { by: `coalesce(${due}, 'infinity')`, type: 'timestamptz' },
      created_at: { by: 'l.created_at', type: 'timestamptz' },
      updated_at: { by: 'l.updated_at', type: 'timestamptz' },
    },
  });
const forStaff = listOf('l.due_at', 'lianxi l');
const forStudents = listOf('coalesce(e.due_at, l.due_at)', 'lianxi l');

/** Begins at the student's own assignments, so that what others have costs nothing. */
const ownOf = (org_id: string, student_id: string, clazz_ids: readonly string[]): Filter[] => [
  [
    `join (select lianxi_id from lianxi_student where org_id = ? and student_id = ?
       union select id from lianxi where org_id = ? and clazz_id = any(?::uuid[])
       union select lianxi_id from submission where org_id = ? and student_id = ?) own on own.lianxi_id = l.id`,
    org_id,
    student_id,
    org_id,
    clazz_ids,
    org_id,
    student_id,
  ],
  ['left join lianxi_extension e on e.org_id = l.org_id and e.lianxi_id = l.id and e.student_id = ?', student_id],
];

export const listLianxi = prepared(lianxiCalls.list, {
  prepare: (_input, session) => clazzesOfCaller(session),
  run: async ({ query }, session, clazz_ids) => {
    const { keyword, course_id, course_section_id, clazz_id, teacher_id } = query;
    const filters: Filter[] = [
      ['l.org_id = ?', session.org_id],
      ...equals({
        'l.course_id': course_id,
        'l.course_section_id': course_section_id,
        'l.clazz_id': clazz_id,
        'l.teacher_id': teacher_id,
      }),
      ...(keyword === undefined || keyword === ''
        ? []
        : [['l.search like lower(?)', containsPattern(keyword)] satisfies Filter]),
    ];
    if (isStaff(session.caller)) return forStaff(session, query, filters);
    return forStudents(session, query, filters, ownOf(session.org_id, session.caller.user_id, clazz_ids));
  },
});
