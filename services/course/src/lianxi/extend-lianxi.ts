import { courseEvents, lianxiCalls, unknownIds } from '@teaching/contracts';
import { names, prepared, statement } from '@teaching/kit';
import { accessOf } from './assignment.ts';
import { LIANXI_EXTENSION } from './lianxi-extension.table.ts';
import { lockLianxi } from './lock-lianxi.ts';
import { clazzesOf } from './references.ts';

const named = names('x', 'student_id', 'granted_by');
const PUT = statement(
  `insert into lianxi_extension as x (${LIANXI_EXTENSION.columns})
   select ${LIANXI_EXTENSION.columns} from ${LIANXI_EXTENSION.given('$1')}
   on conflict (org_id, lianxi_id, student_id) do update
   set due_at = excluded.due_at, granted_by = excluded.granted_by, updated_at = excluded.updated_at
   returning ${named.columns}`,
  named.shape,
);

/** Lateness is read off the due time in force, so the student's earlier attempts follow by themselves. */
export const extendLianxi = prepared(lianxiCalls.extendLianxi, {
  prepare: ({ body }, session) => clazzesOf(session, body.student_id),
  run: async ({ path, body }, session, clazz_ids) => {
    const { id: lianxi_id } = await lockLianxi(session, path.id);
    const { mayRead } = await accessOf(session, lianxi_id, body.student_id, clazz_ids);
    if (!mayRead) throw unknownIds([{ path: '/body/student_id', message: 'is not assigned to this lianxi' }]);
    const extension = {
      lianxi_id,
      ...body,
      granted_by: session.caller.user_id,
      updated_at: session.now.toISOString(),
    };
    const stored = await session.one(PUT, LIANXI_EXTENSION.rows([{ org_id: session.org_id, ...extension }]));
    if (stored === undefined) throw new Error('an upsert returns its row');
    session.emit(courseEvents.lianxiExtended, lianxi_id, extension);
    return { ...extension, ...stored };
  },
});
