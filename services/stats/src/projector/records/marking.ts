import { courseEvents } from '@teaching/contracts';
import { eventsOf } from '@teaching/kit';
import { quarterOf } from '../../figures/sql.ts';
import { recordKind } from '../record-kind.ts';

interface MarkingRow {
  org_id: string;
  submission_id: string;
  marker_id: string;
  student_id: string;
  submitted_at: string;
  marked_at: string;
  revision: number;
  clazz_id: string | null;
}

const seconds = (of: string): string => `extract(epoch from ${of}.marked_at - ${of}.submitted_at)::bigint`;

/** The first marking of each submission: a regrade is no further piece of work. */
export const markings = recordKind<MarkingRow>()({
  columns: {
    org_id: 'uuid',
    submission_id: 'uuid',
    marker_id: 'text',
    student_id: 'text',
    submitted_at: 'timestamptz',
    marked_at: 'timestamptz',
    revision: 'int',
    clazz_id: 'uuid',
  },
  key: ({ submission_id }) => submission_id,
  isLater: (a, b) => a.revision < b.revision,
  states: (batch) =>
    eventsOf(batch, courseEvents.submissionMarked).map(({ orgid, data }) => {
      const { submission_id, marker_id, student_id, submitted_at, marked_at, revision, clazz_id = null } = data;
      return { org_id: orgid, submission_id, marker_id, student_id, submitted_at, marked_at, revision, clazz_id };
    }),
  store: ({ names, rows, replaced }) => `
    with stored as (
      insert into marking (gen, ${names}) select $1, ${names} from ${rows}
      on conflict (org_id, gen, submission_id) do update set ${replaced} where excluded.revision < marking.revision
      returning new.org_id, new.marked_at, ${seconds('new')} as seconds, old.marked_at as old_at,
        ${seconds('old')} as old_seconds
    ), change as (
      select org_id, ${quarterOf('marked_at')} as at, 1 as markings, seconds from stored
      union all
      select org_id, ${quarterOf('old_at')}, -1, -old_seconds from stored where old_at is not null
    )
    insert into org_figure (gen, org_id, at, markings, marking_seconds)
    select $1, org_id, at, sum(markings), sum(seconds) from change group by org_id, at
    on conflict (org_id, gen, at) do update set markings = org_figure.markings + excluded.markings,
      marking_seconds = org_figure.marking_seconds + excluded.marking_seconds`,
});
