import { courseEvents, lianxiCalls, unknownIds } from '@teaching/contracts';
import { instant, nameColumns, p, twoStepHandler, statement, table } from '@teaching/kit';
import { lianxiAccess } from './assignment.ts';
import { clazzIdsOfStudent } from './lianxi-references.ts';
import { lockLianxi } from './lianxi-rows.ts';

/** SQL join of the extension `e` of one student for the exercise `l`. `student` is SQL of the student's id. */
export const joinExtension = (student: string): string =>
  `left join lianxi_extension e on e.org_id = l.org_id and e.lianxi_id = l.id and e.student_id = ${student}`;

/**
 * SQL of the times that apply to the student of the extension `e` at the exercise `l`. A later due time also keeps the
 * exercise open until then.
 */
export const EFFECTIVE_TIMES = {
  due_at: 'coalesce(e.due_at, l.due_at)',
  closes_at: 'case when l.closes_at is not null then greatest(l.closes_at, e.due_at) end',
};

/** Due times of single students that differ from the due time of the exercise. */
const LIANXI_EXTENSION = table('lianxi_extension', {
  org_id: p.uuid().primary(),
  lianxi_id: p.uuid().primary(),
  student_id: p.text().primary(),
  due_at: instant(),
  granted_by: p.text(),
  updated_at: instant(),
});

const personNames = nameColumns('x', 'student_id', 'granted_by');
const PUT_EXTENSION = statement(
  `insert into lianxi_extension as x (${LIANXI_EXTENSION.columns})
   select ${LIANXI_EXTENSION.columns} from ${LIANXI_EXTENSION.rowsFrom('$1')}
   on conflict (org_id, lianxi_id, student_id) do update
   set due_at = excluded.due_at, granted_by = excluded.granted_by, updated_at = excluded.updated_at
   returning ${personNames.columns}`,
  personNames.shape,
);

/**
 * Sets the due time of one student. `late` is computed from the due time on each read, so it also changes for the
 * earlier attempts of the student.
 */
export const extendLianxi = twoStepHandler(lianxiCalls.extendLianxi, {
  prepare: ({ body }, session) => clazzIdsOfStudent(session, body.student_id),
  run: async ({ path, body }, session, clazz_ids) => {
    const { id: lianxi_id } = await lockLianxi(session, path.id);
    const { canRead } = await lianxiAccess(session, lianxi_id, body.student_id, clazz_ids);
    if (!canRead) throw unknownIds([{ path: '/body/student_id', message: 'is not assigned to this exercise' }]);
    const extension = {
      lianxi_id,
      ...body,
      granted_by: session.caller.user_id,
      updated_at: session.now.toISOString(),
    };
    const stored = await session.queryOne(
      PUT_EXTENSION,
      LIANXI_EXTENSION.toJson([{ org_id: session.org_id, ...extension }]),
    );
    if (stored === undefined) throw new Error('an upsert returns its row');
    session.emit(courseEvents.lianxiExtended, lianxi_id, extension);
    return { ...extension, ...stored };
  },
});
