import { type Clazz, clazzCalls, ClazzFields } from '@teaching/contracts';
import { newRecord, prepared } from '@teaching/kit';
import { openStaff } from '../people/staff.ts';
import { CLAZZ } from '../record/clazz.table.ts';
import { requireListedTeacher } from '../record/require-listed.ts';
import { shownClazz } from '../record/shown-clazz.ts';
import { checkReferences } from './check-references.ts';
import { checkDays } from './clazz.rules.ts';
import { clazzChanged } from './save-clazz.ts';

export const createClazz = prepared(clazzCalls.create, {
  prepare: ({ body }, session) => checkReferences(session, body),
  run: async ({ body }, session) => {
    const created: Clazz = {
      ...newRecord(session),
      ...ClazzFields.filled(body, {}),
      assistant_ids: [],
      status: 'draft',
      completed_at: null,
    };
    checkDays(created);
    await requireListedTeacher(session, created.lead_teacher_id, '/body/lead_teacher_id');
    session.insert(CLAZZ, created);
    openStaff(session, created.id, 'lead', [created.lead_teacher_id], null);
    clazzChanged(session, 'created', null, created);
    return shownClazz(session, created);
  },
});
