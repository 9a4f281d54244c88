import { clazzEvents, type EventData } from '@teaching/contracts';
import { eventsOf, type Received, sequenceOf } from '@teaching/kit';
import { bySeq, recordKind } from '../record-kind.ts';
import { rollCallsTold } from './roll-calls-told.ts';

interface LessonRow {
  org_id: string;
  id: string;
  clazz_id: string;
  teacher_id: string;
  starts_at: string;
  ends_at: string;
  hours: string;
  status: string;
  version: number;
  seq: number;
}

/** A lesson as it was (null when it is new) and is now. */
export interface LessonChange {
  org_id: string;
  id: string;
  clazz_id: string;
  teacher_id: string;
  starts_at: string;
  status: string;
  old_clazz_id: string | null;
  old_teacher_id: string | null;
  old_starts_at: string | null;
  old_status: string | null;
}

type Lesson = EventData<typeof clazzEvents.lessonChanged>['lessons'][number];
const stateOf = (lesson: Lesson, org_id: string, seq: number): LessonRow => {
  const { id, clazz_id, teacher_id, starts_at, ends_at, hours, status, version } = lesson;
  return { org_id, id, clazz_id, teacher_id, starts_at, ends_at, hours, status, version, seq };
};

const EPOCH = '1970-01-01T00:00:00.000Z';
/** Known even when nothing else about the lesson ever arrived. */
const GONE = { teacher_id: '-', starts_at: EPOCH, ends_at: EPOCH, hours: '0.00', status: 'deleted', version: 0 };

function* lessonStates(batch: readonly Received[]): Iterable<LessonRow> {
  for (const event of eventsOf(batch, clazzEvents.lessonChanged)) {
    for (const lesson of event.data.lessons) yield stateOf(lesson, event.orgid, sequenceOf(event));
  }
  for (const { lesson, org_id, seq } of rollCallsTold(batch)) yield stateOf(lesson, org_id, seq);
  for (const event of eventsOf(batch, clazzEvents.lessonDeleted)) {
    const { clazz_id, lesson_ids } = event.data;
    const gone = { ...GONE, org_id: event.orgid, clazz_id, seq: sequenceOf(event) };
    for (const id of lesson_ids) yield { ...gone, id };
  }
}

export const lessons = recordKind<LessonRow>()<LessonChange>({
  columns: {
    org_id: 'uuid',
    id: 'uuid',
    clazz_id: 'uuid',
    teacher_id: 'text',
    starts_at: 'timestamptz',
    ends_at: 'timestamptz',
    hours: 'numeric',
    status: 'text',
    version: 'int',
    seq: 'bigint',
  },
  key: ({ id }) => id,
  isLater: bySeq,
  states: lessonStates,
  store: ({ names, rows, replaced }) => `
    insert into lesson (gen, ${names}) select $1, ${names} from ${rows}
    on conflict (org_id, gen, id) do update set ${replaced}
      where lesson.seq < excluded.seq
    returning new.org_id, new.id, new.clazz_id, new.teacher_id, new.starts_at, new.status,
      old.clazz_id as old_clazz_id, old.teacher_id as old_teacher_id, old.starts_at as old_starts_at,
      old.status as old_status`,
});
