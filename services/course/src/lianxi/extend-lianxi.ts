import { courseEvents, lianxiCalls } from '@teaching/contracts';
import { prepared, statement } from '@teaching/kit';
import { accessOf } from './assignment.ts';
import { lockLianxi, unknownStudent } from './load-lianxi.ts';
import { clazzesOf } from './references.ts';

const PUT = statement(
  `insert into lianxi_extension (org_id, lianxi_id, student_id, due_at, granted_by, updated_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (org_id, lianxi_id, student_id) do update
   set due_at = excluded.due_at, granted_by = excluded.granted_by, updated_at = excluded.updated_at`,
);

/** Lateness is read off the due time in force, so the student's earlier attempts follow by themselves. */
export const extendLianxi = prepared(lianxiCalls.extend, {
  prepare: ({ body }, session) => clazzesOf(session, body.student_id),
  run: async ({ path, body }, session, clazz_ids) => {
    const it = await lockLianxi(session, path.id);
    const { mayRead } = await accessOf(session, it.id, body.student_id, clazz_ids);
    if (!mayRead) throw unknownStudent();
    const extension = {
      lianxi_id: it.id,
      student_id: body.student_id,
      due_at: body.due_at,
      granted_by: session.caller.user_id,
      updated_at: session.now.toISOString(),
    };
    const { lianxi_id, student_id, due_at, granted_by, updated_at } = extension;
    session.run(PUT, session.org_id, lianxi_id, student_id, due_at, granted_by, updated_at);
    session.emit(courseEvents.lianxiExtended, it.id, extension);
    return extension;
  },
});
