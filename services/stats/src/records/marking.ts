import { courseEvents } from '@teaching/contracts';
import { notNull, bigint, eventsOf, instant, p, table } from '@teaching/kit';
import { markingSeconds } from '../figures/rates.rules.ts';
import { quarterOf } from '../figures/sql-fragments.ts';
import { type Explanation, explanation } from './explanation.ts';
import { projection } from './projection.ts';
import { columnsOf, type ExplanationSource } from './source.ts';

/** The first marking of each submission. Regrades do not count as markings. */
const MARKING = table('marking', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  submission_id: p.uuid().primary(),
  marker_id: p.text(),
  student_id: p.text(),
  submitted_at: instant(),
  marked_at: instant(),
  revision: p.integer(),
  clazz_id: p.uuid().nullable(),
});

export const markings = projection(MARKING, {
  mergeRule: { lowest: 'revision' },
  states: (batch) =>
    eventsOf(batch, courseEvents.submissionMarked).map(({ orgid, data: { clazz_id = null, ...marking } }) => {
      return { ...marking, clazz_id, org_id: orgid };
    }),
  store: (upsert, gen) => `
    with stored as (
      ${upsert}
      returning new.org_id, new.marked_at, ${markingSeconds('new')} as seconds, old.marked_at as old_at,
        ${markingSeconds('old')} as old_seconds
    ), change as (
      select org_id, ${quarterOf('marked_at')} as at, 1 as markings, seconds from stored
      union all
      select org_id, ${quarterOf('old_at')}, -1, -old_seconds from stored where old_at is not null
    )
    insert into org_figure (gen, org_id, at, markings, marking_seconds)
    select ${gen}, org_id, at, sum(markings), sum(seconds) from change group by org_id, at
    on conflict (org_id, gen, at) do update set markings = org_figure.markings + excluded.markings,
      marking_seconds = org_figure.marking_seconds + excluded.marking_seconds`,
});

const a = columnsOf('a', MARKING);

const MARKED: ExplanationSource = {
  from: 'marking as a',
  select: {
    source: ["'marking'", notNull(p.text().$type<'marking'>())],
    id: ['a.submission_id::text', notNull(p.text())],
    at: a('marked_at'),
    clazz_id: a('clazz_id'),
    student_id: a('student_id'),
    teacher_id: a('marker_id'),
    by: a('marker_id'),
    done_at: a('marked_at'),
    revision: a('revision'),
  },
  where: [],
  at: 'a.marked_at',
  clazz: 'a.clazz_id',
  org: 'a',
  sort: { by: 'a.marked_at', type: 'timestamptz', id: 'a.submission_id', idType: 'uuid' },
};

/** Markings with their duration in seconds as `counts`. */
const DURATIONS: ExplanationSource = {
  ...MARKED,
  select: { ...MARKED.select, counts: [markingSeconds('a'), notNull(bigint())] },
};

export const markingExplanations: readonly Explanation[] = [
  explanation('markings', 'teacher', { ...MARKED, subject: 'a.marker_id' }),
  explanation('markings', 'org', MARKED),
  explanation('marking_turnaround', 'teacher', { ...DURATIONS, subject: 'a.marker_id' }),
  explanation('marking_turnaround', 'org', DURATIONS),
];
