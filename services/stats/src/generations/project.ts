import type { Received, Store } from '@teaching/kit';
import { noteChange } from '../figures/org-change.ts';
import { refreshClazzFigures } from '../figures/refresh-clazz-figures.ts';
import { RECORDS } from '../records/index.ts';
import { moveMarks } from '../records/mark/project.ts';

/** Brings a batch of events down to the last state of each record. The order of the batch does not matter. */
export const project = (batch: readonly Received[]): Store => {
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
