import { allEvents } from '@teaching/contracts';
import type { FollowerDefinition, ReceivedEvent, StoreBatch } from '@teaching/kit';
import { noteChange } from '../figures/org-change.ts';
import { refreshClazzFigures } from '../figures/refresh-clazz-figures.ts';
import { moveMarks } from '../records/mark.ts';
import { RECORDS } from '../records/record-kinds.ts';

/** Brings a batch of events down to the last state of each record. The order of the batch does not matter. */
export const project = (batch: readonly ReceivedEvent[]): StoreBatch => {
  const stores = RECORDS.flatMap(({ projection }) => projection.read(batch) ?? []);
  return async (tx, gen) => {
    noteChange(
      tx,
      gen,
      batch.map(({ orgid }) => orgid),
    );
    const touched = await Promise.all(stores.map((store) => store(tx, gen)));
    moveMarks(
      tx,
      gen,
      touched.flatMap(({ moved = [] }) => moved),
    );
    refreshClazzFigures(tx, gen, {
      moments: touched.flatMap(({ moments = [] }) => moments),
      lessons: touched.flatMap(({ lessons = [] }) => lessons),
      enrolments: touched.flatMap(({ enrolments = [] }) => enrolments),
    });
  };
};

/** Follows the events that statistics are made of: those that say so themselves. */
export const statisticsFollower: FollowerDefinition = {
  name: 'statistics',
  follows: allEvents.filter(({ feeds }) => feeds.includes('stats')),
  apply: project,
  generations: true,
};
