import { MAX_CLOSED, Problem } from '@teaching/contracts';
import { always, names, p, type RowOf, type Session, statement } from '@teaching/kit';
import { CLAZZ } from '../record/clazz.table.ts';
import { LESSON, LISTED } from '../record/lesson.table.ts';
import type { Closing } from './closing.rules.ts';

/** Of spans that start at $2 and end at $3 and of classes $4: what is scheduled with a teacher $5 in a room $6. */
const CHOSEN = `l.status = 'scheduled' and l.hours >= 0
  and ($5::text is null or l.teacher_id = $5) and ($6::text is null or l.room = $6)`;
const named = names('l', 'teacher_id');
const FOUND = {
  ...LISTED.shape,
  ...named.shape,
  clazz_name: always(p.text()),
  clazz_status: always(CLAZZ.shape.status),
};

/** Of each span the lessons that overlap it, found by their starts: none is longer than a day. */
const FIND = statement(
  `select distinct ${LISTED.of('l')}, ${named.columns}, c.name as clazz_name, c.status as clazz_status
   from unnest($2::timestamptz[], $3::timestamptz[]) as s (from_at, to_at)
   cross join lateral (
     select * from lesson l
     where l.org_id = $1 and ${CHOSEN} and ($4::uuid[] is null or l.clazz_id = any($4))
       and l.starts_at > s.from_at - interval '24 hours' and l.starts_at < s.to_at and l.ends_at > s.from_at
     offset 0
   ) l
   join clazz c on c.org_id = $1 and c.id = l.clazz_id
   order by starts_at, id limit $7`,
  FOUND,
);
export type Found = RowOf<typeof FOUND>;

/** The same of one class, held. */
const LOCK = statement(
  `select ${LESSON.of('l')} from lesson l
   where l.org_id = $1 and l.clazz_id = any($4::uuid[]) and ${CHOSEN} and exists (
     select from unnest($2::timestamptz[], $3::timestamptz[]) as s (from_at, to_at)
     where l.starts_at < s.to_at and l.ends_at > s.from_at)
   order by l.starts_at, l.id for update`,
  LESSON.shape,
);

const chosenBy = ({ spans, teacher_id, room }: Closing, clazz_ids: readonly string[] | null) =>
  [spans.map(({ from }) => from), spans.map(({ to }) => to), clazz_ids, teacher_id, room] as const;

/** What is scheduled there now, before any of it is held; 400 if it is too much for one call. */
export const findScheduled = async (session: Session, closing: Closing): Promise<Found[]> => {
  const found = await session.peek(FIND, session.org_id, ...chosenBy(closing, closing.clazz_ids), MAX_CLOSED + 1);
  if (found.length <= MAX_CLOSED) return found;
  throw new Problem('invalid_request', `More than ${MAX_CLOSED} lessons are scheduled there: take a shorter range`);
};

/** The lessons of one class that is locked, to be cancelled. */
export const lockScheduled = (session: Session, closing: Closing, clazz_id: string) =>
  session.query(LOCK, session.org_id, ...chosenBy(closing, [clazz_id]));
