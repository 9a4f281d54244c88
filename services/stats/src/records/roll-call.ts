import { clazzEvents, type EventData } from '@teaching/contracts';
import { eventsOf, instant, p, type ReceivedEvent, sequenceOf, table } from '@teaching/kit';
import { projection } from './projection.ts';

type RollCall = EventData<typeof clazzEvents.rollCallRecorded>;

/** The marks of one lesson that were set or revised, with the lesson at that time. */
interface RollCallEvent extends Pick<RollCall, 'lesson' | 'marks'> {
  org_id: string;
  seq: number;
}

/** All roll calls in a batch, from both versions of the event. */
export function* rollCallEvents(batch: readonly ReceivedEvent[]): Iterable<RollCallEvent> {
  for (const event of eventsOf(batch, clazzEvents.rollCallRecorded)) {
    yield { org_id: event.orgid, seq: sequenceOf(event), lesson: event.data.lesson, marks: event.data.marks };
  }
  for (const event of eventsOf(batch, clazzEvents.rollCallsRecorded)) {
    const { marked_by, marked_at, lessons } = event.data;
    for (const { lesson, marks } of lessons) {
      const fullMarks = marks.map((mark) => ({ ...mark, marked_by, marked_at }));
      yield { org_id: event.orgid, seq: sequenceOf(event), lesson, marks: fullMarks };
    }
  }
}

/** The time of the first mark of each lesson. It stays when that mark is withdrawn. */
export const ROLL_CALL = table('roll_call', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  lesson_id: p.uuid().primary(),
  taken_at: instant(),
});

export const rollCalls = projection(ROLL_CALL, {
  mergeRule: { lowest: 'taken_at' },
  states: function* (batch) {
    for (const { org_id, lesson, marks } of rollCallEvents(batch)) {
      for (const { mark, marked_at } of marks) {
        if (mark !== null) yield { org_id, lesson_id: lesson.id, taken_at: marked_at };
      }
    }
  },
});
