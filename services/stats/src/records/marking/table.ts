import { defineEntity, p } from '@mikro-orm/postgresql';
import { instant, table } from '@teaching/kit';

/** The first marking of each submission: a regrade is no further piece of work. */
export const MARKING = table(
  defineEntity({
    name: 'Marking',
    tableName: 'marking',
    properties: {
      org_id: p.uuid().primary(),
      gen: p.integer().primary(),
      submission_id: p.uuid().primary(),
      marker_id: p.text(),
      student_id: p.text(),
      submitted_at: instant(),
      marked_at: instant(),
      revision: p.integer(),
      clazz_id: p.uuid().nullable(),
    },
  }),
);
