import { clazzCalls } from '@teaching/contracts';
import { newId, prepared } from '@teaching/kit';
import { openStaff } from '../relation/staff.ts';
import { checkReferences } from './check-references.ts';
import { ClazzEntity, toClazz } from './clazz.entity.ts';
import { applyPatch, DEFAULTS } from './clazz.rules.ts';
import { clazzChanged } from './load-clazz.ts';

export const createClazz = prepared(clazzCalls.create, {
  prepare: ({ body }, session) => checkReferences(session, body),
  run: async ({ body }, session) => {
    const em = await session.entities();
    const at = session.now.toISOString();
    const created = em.create(ClazzEntity, {
      ...applyPatch({ ...DEFAULTS, name: body.name, lead_teacher_id: body.lead_teacher_id }, body),
      id: newId(),
      org_id: session.org_id,
      assistant_ids: [],
      status: 'draft',
      completed_at: null,
      version: 1,
      created_at: at,
      updated_at: at,
    });
    await em.flush();
    openStaff(session, created.id, 'lead', [created.lead_teacher_id], null);
    const answer = toClazz(created);
    clazzChanged(session, 'created', null, answer);
    return answer;
  },
});
