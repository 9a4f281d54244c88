import { withoutLimit } from './hours.ts';
import { deriveJoined } from './membership.ts';
import { freeSeats, isGuest, promotable } from './membership-queries.ts';
import { elementAt, type Model, noFreedPlaces } from './state.ts';

/** Gives free seats to waiting students in order. A student with a clash is passed over and keeps the position. */
const promote = (model: Model, clazz: number): void => {
  for (const it of promotable(model, clazz, model.now, freeSeats(model, clazz, model.now))) {
    const periods = [{ from: model.now, to: Number.POSITIVE_INFINITY }];
    Object.assign(it, { status: 'active', since: model.now, periods });
    model.promoted += 1;
    withoutLimit(model, () => deriveJoined(model, clazz, it.student));
  }
};

/** Ends every action: tries waiting students of classes with a freed seat, and waiting students with freed time. */
export const promoteWaiting = (model: Model): void => {
  const { clazzes, lessons, students } = model.freed;
  const clazzesOf = new Set([...lessons].map((lesson) => elementAt(model.lessons, lesson).clazz));
  const wasIn = (clazz: number, student: number): boolean =>
    elementAt(model.clazzes, clazz).enrolments.some((it) => it.student === student && it.periods.length > 0);
  const hasTime = (student: number): boolean =>
    students.has(student) ||
    [...clazzesOf].some((clazz) => wasIn(clazz, student)) ||
    [...lessons].some((lesson) => isGuest(model, lesson, student));
  const tried = model.clazzes.flatMap(({ status, enrolments }, clazz) => {
    if (status !== 'active') return [];
    const waiting = enrolments.filter((it) => it.status === 'waiting');
    const isFree = clazzes.has(clazz) || clazzesOf.has(clazz);
    return waiting.some(({ student }) => isFree || hasTime(student)) ? [clazz] : [];
  });
  for (const clazz of tried) promote(model, clazz);
  model.freed = noFreedPlaces();
};

/** A pass of the job: tries the waiting students of all classes, because time may have freed a seat or ended a clash. */
export const promoteOverTime = (model: Model): void =>
  model.clazzes.forEach(({ status }, clazz) => {
    if (status === 'active') promote(model, clazz);
  });
