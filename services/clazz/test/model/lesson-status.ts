import { elementAt, type Model } from './state.ts';

export const cancelOne = (model: Model, lesson: number): void => {
  Object.assign(elementAt(model.lessons, lesson), { status: 'cancelled', cancelled: model.now });
  model.freed.lessons.add(lesson);
};

/** Sets a lesson to scheduled, as if its roll call had never been taken. The caller clears the marks. */
export const forgetRollCall = (model: Model, lesson: number): void => {
  const it = elementAt(model.lessons, lesson);
  Object.assign(it, { status: 'scheduled', called: null });
  for (const seat of it.seats) seat.wasMarked = false;
};

/** The same for a lesson that is restored, after which waiting students may get places. */
export const scheduleOne = (model: Model, lesson: number): void => {
  forgetRollCall(model, lesson);
  model.freed.lessons.add(lesson);
};
