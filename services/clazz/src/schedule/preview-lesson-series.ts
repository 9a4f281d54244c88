import type { seriesCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireManager, requireOpen } from '../record/access.rules.ts';
import { findClazz } from '../record/load-clazz.ts';
import { toConflicts } from '../record/conflict.rules.ts';
import { requireListed } from '../room/check-rooms.ts';
import { planSeries } from './plan-series.ts';

export const previewLessonSeries: Handler<typeof seriesCalls.previewLessonSeries> = async ({ path, body }, session) => {
  const it = await findClazz(session, path.id);
  requireManager(session.reach, it);
  requireOpen(it);
  await requireListed(session, body.room);
  const { lessons, skipped, conflicts } = await planSeries(session, it, body, null);
  const occurrences = lessons.map(({ starts_at, ends_at }, index) => ({
    starts_at,
    ends_at,
    conflicts: toConflicts(conflicts.get(index) ?? []),
  }));
  return { occurrences, skipped };
};
