import { allEvents } from '@teaching/contracts';
import type { FollowerDefinition, ReceivedEvent, StoreBatch } from '@teaching/kit';
import { recordOrgChange } from '../figures/org-change.ts';
import { refreshClazzFigures } from '../figures/refresh-clazz-figures.ts';
import { updateMarksOfLessons } from '../records/mark.ts';
import { RECORD_KINDS } from '../records/record-kinds.ts';

/** Stores the last state of each record in a batch of events. The order of events in the batch does not matter. */
export const projectBatch = (batch: readonly ReceivedEvent[]): StoreBatch => {
  const stores = RECORD_KINDS.flatMap(({ projection }) => projection.read(batch) ?? []);
  return async (tx, gen) => {
    recordOrgChange(
      tx,
      gen,
      batch.map(({ orgid }) => orgid),
    );
    const changes = await Promise.all(stores.map((store) => store(tx, gen)));
    updateMarksOfLessons(
      tx,
      gen,
      changes.flatMap(({ moved = [] }) => moved),
    );
    refreshClazzFigures(tx, gen, {
      moments: changes.flatMap(({ moments = [] }) => moments),
      lessons: changes.flatMap(({ lessons = [] }) => lessons),
      enrolments: changes.flatMap(({ enrolments = [] }) => enrolments),
    });
  };
};

/** Follows the events whose definition has `stats` in `feeds`. */
export const statisticsFollower: FollowerDefinition = {
  name: 'statistics',
  follows: allEvents.filter(({ feeds }) => feeds.includes('stats')),
  apply: projectBatch,
  generations: true,
};
