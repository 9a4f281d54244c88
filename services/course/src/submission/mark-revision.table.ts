import { defineEntity, p } from '@mikro-orm/postgresql';
import type { MarkRevision } from '@teaching/contracts';
import { hundredths, instant, table } from '@teaching/kit';

/** Every mark a submission ever had. */
export const MARK_REVISION = table(
  defineEntity({
    name: 'MarkRevision',
    tableName: 'mark_revision',
    properties: {
      org_id: p.uuid().primary(),
      submission_id: p.uuid().primary(),
      revision: p.integer().primary(),
      score: hundredths(),
      points: p.json<NonNullable<MarkRevision['points']>>(),
      comment: p.text().nullable(),
      rubric: p.json<NonNullable<MarkRevision['rubric']>>().nullable(),
      reason: p.text().nullable(),
      marked_by: p.text().nullable(),
      marked_at: instant(),
    },
  }),
);
