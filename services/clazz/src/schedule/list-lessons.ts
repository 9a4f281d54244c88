import type { lessonCalls } from '@teaching/contracts';
import { among, type Handler, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { SHOWN } from '../record/lesson.table.ts';
import { requireOwn } from '../record/access.rules.ts';
import { readClazz } from '../record/load-clazz.ts';
import { seenBy } from '../record/seen-lesson.rules.ts';
import { OWN_LESSONS } from './own-lessons.ts';

const list = pagedList({
  ...SHOWN,
  from: 'lesson',
  sorts: { starts_at: { by: 'starts_at', type: 'timestamptz' } },
  where: {
    clazz_id: 'clazz_id = ?',
    own: OWN_LESSONS('?', '?'),
    status: among('status'),
    series_id: 'series_id = ?',
    from: 'ends_at > ?',
    to: 'starts_at < ?',
  },
});

/** The lessons of a class by start. */
export const listClazzLessons: Handler<typeof lessonCalls.listClazzLessons> = async (
  { path, query: { student_id: _seen, ...query } },
  session,
) => {
  const { id } = await readClazz(session, path.id);
  const found = await list(session, { ...query, sort: 'starts_at' }, { ...query, clazz_id: id });
  auditRead(session, 'lesson', [id]);
  return { ...found, items: found.items.map(seenBy(session.caller)) };
};

/** The caller's own by start, whatever the class. */
export const listMyLessons: Handler<typeof lessonCalls.listMyLessons> = async (
  { query: { student_id, ...query } },
  session,
) => {
  const { org_id, caller } = session;
  requireOwn(session.reach, student_id);
  const pair = [org_id, caller.user_id];
  const own = [...pair, ...pair, ...pair, ...pair];
  const found = await list(session, { ...query, sort: 'starts_at' }, { ...query, own });
  auditRead(
    session,
    'lesson',
    found.items.map((row) => row.clazz_id),
  );
  return { ...found, items: found.items.map(seenBy(caller)) };
};
