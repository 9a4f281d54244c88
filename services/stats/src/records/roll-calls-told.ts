import { clazzEvents, type EventData } from '@teaching/contracts';
import { eventsOf, type Received, sequenceOf } from '@teaching/kit';

type RollCall = EventData<typeof clazzEvents.rollCallRecorded>;

/** The marks of one lesson that were set or revised, with the lesson as it was then. */
export interface RollCallTold extends Pick<RollCall, 'lesson' | 'marks'> {
  org_id: string;
  seq: number;
}

/** Every roll call a batch tells of, in either version of the event. */
export function* rollCallsTold(batch: readonly Received[]): Iterable<RollCallTold> {
  for (const event of eventsOf(batch, clazzEvents.rollCallRecorded)) {
    yield { org_id: event.orgid, seq: sequenceOf(event), lesson: event.data.lesson, marks: event.data.marks };
  }
  for (const event of eventsOf(batch, clazzEvents.rollCallsRecorded)) {
    const { marked_by, marked_at, lessons } = event.data;
    for (const { lesson, marks } of lessons) {
      const told = marks.map((mark) => ({ ...mark, marked_by, marked_at }));
      yield { org_id: event.orgid, seq: sequenceOf(event), lesson, marks: told };
    }
  }
}
