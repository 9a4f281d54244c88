import { elementAt, type Model } from './state.ts';

export const cancelOne = (model: Model, lesson: number): void => {
  Object.assign(elementAt(model.lessons, lesson), { status: 'cancelled', cancelled: model.now });
  model.freed.lessons.add(lesson);
};

/** Sets a lesson to scheduled, as if its roll call had never been taken. The caller clears the marks. */
export const scheduleOne = (model: Model, lesson: number): void => {
  const it = elementAt(model.lessons, lesson);
  Object.assign(it, { status: 'scheduled', called: null });
  for (const seat of it.seats) seat.wasMarked = false;
  model.freed.lessons.add(lesson);
};
