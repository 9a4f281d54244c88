import { type Clazz, clazzCalls } from '@teaching/contracts';
import { newId, prepared, rowsOf } from '@teaching/kit';
import { openStaff } from '../people/staff.ts';
import { checkReferences } from './check-references.ts';
import { applyPatch, DEFAULTS } from './clazz.rules.ts';
import { CLAZZ } from './clazz.table.ts';
import { clazzChanged } from './load-clazz.ts';

export const createClazz = prepared(clazzCalls.create, {
  prepare: ({ body }, session) => checkReferences(session, body),
  run: async ({ body }, session) => {
    const at = session.now.toISOString();
    const created: Clazz = {
      id: newId(),
      org_id: session.org_id,
      ...applyPatch({ ...DEFAULTS, name: body.name, lead_teacher_id: body.lead_teacher_id }, body),
      assistant_ids: [],
      status: 'draft',
      completed_at: null,
      version: 1,
      created_at: at,
      updated_at: at,
    };
    session.run(CLAZZ.insert, rowsOf(created));
    openStaff(session, created.id, 'lead', [created.lead_teacher_id], null);
    clazzChanged(session, 'created', null, created);
    return created;
  },
});
