import { Clazz, type clazzCalls, ClazzFields } from '@teaching/contracts';
import {
  equalsAnyOf,
  containsKeyword,
  fieldFilters,
  type Handler,
  nameColumns,
  nameListColumns,
  indexedDefault,
  pagedList,
} from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { readClazz } from '../record/load-clazz.ts';
import { shownClazz } from '../record/member-names.ts';
import { CLAZZ } from '../record/record.tables.ts';

export const getClazz: Handler<typeof clazzCalls.getClazz> = async ({ path }, session) => {
  const found = await readClazz(session, path.id);
  auditRead(session, 'clazz', [path.id]);
  return shownClazz(session, found);
};

const LISTED = CLAZZ.contractColumns(Clazz);
const lead = nameColumns('clazz', 'lead_teacher_id');
const assistants = nameListColumns('clazz', 'assistant_ids');

const list = pagedList({
  columns: `${LISTED.columns}, ${lead.columns}, ${assistants.columns}`,
  shape: { ...LISTED.shape, ...lead.shape, ...assistants.shape },
  from: 'clazz',
  sorts: {
    name: { by: 'name', type: 'text' },
    starts_on: { by: indexedDefault('starts_on', '-infinity'), type: 'date' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
  where: {
    status: equalsAnyOf('status'),
    teacher_id: '(lead_teacher_id = any(?) or assistant_ids && ?)',
    ...fieldFilters(ClazzFields.filters, 'clazz'),
    keyword: containsKeyword('lower(name)'),
    student_id: equalsAnyOf(
      'e.student_id',
      (isMatch) => `id in (select clazz_id from enrolment e where e.org_id = clazz.org_id and ${isMatch})`,
    ),
  },
});

export const listClazzes: Handler<typeof clazzCalls.listClazzes> = async ({ query }, session) => {
  const student_id = session.access.requestedPeople(query.student_id);
  const teacher_id = query.teacher_id && [query.teacher_id, query.teacher_id];
  const found = await list(session, query, { ...query, student_id, teacher_id });
  auditRead(
    session,
    'clazz',
    found.items.map((it) => it.id),
  );
  return found;
};
