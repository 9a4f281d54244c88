import { makeCourses } from './courses.ts';
import { makeExtraLesson } from './extra-lesson.ts';
import { makeExceptions, makeHours, renewHours } from './hours.ts';
import { requestLeaves, bookMakeUps, listLeaves } from './leaves.ts';
import { changeLessons, listLessons, writeTopics } from './lessons.ts';
import type { SchoolContext } from './school-context.ts';
import { makePackages } from './packages.ts';
import { makePlans } from './plans.ts';
import { makePractices } from './practice.ts';
import { makeHolidays, makePeople, makePolicy, makeRooms, settlePolicy } from './reference.ts';
import { takeRollCalls } from './roll-calls.ts';
import { type Frame, frameOf, listClazzes, type MadeClazz, makeClazzes } from './timetable.ts';

/** The data of the school. */
export interface MadeSchool {
  clazzes: number;
  students: number;
  zone: string;
}

/** The events in the classes, up to today. */
const live = async (making: SchoolContext, made: readonly MadeClazz[], frame: Frame, window: number): Promise<void> => {
  const planned = await listLessons(making, made, frame);
  await writeTopics(making, planned, frame);
  await makeExtraLesson(making, made, planned, frame);
  const changed = await changeLessons(making, planned, frame);
  const lessons = changed ? await listLessons(making, made, frame) : planned;
  const leaves = await listLeaves(making);
  await requestLeaves(making, lessons, frame, leaves);
  await takeRollCalls(making, made, frame, { leaves, window });
  await bookMakeUps(making, lessons, frame);
};

/**
 * Creates the missing parts of the demo school through the API. Each step reads the present state first: an interrupted run is
 * continued by the next one. A second run on one day changes nothing; a run on another day adds the days since.
 */
export const makeSchool = async (making: SchoolContext): Promise<MadeSchool> => {
  const [policy, known] = [await makePolicy(making), await listClazzes(making)];
  const frame = frameOf(making, known, policy.zone);
  const { zone } = frame;
  await Promise.all([makePeople(making), makeRooms(making), makeHolidays(making, frame.closed)]);
  const courses = await makeCourses(making);
  const packages = await makePackages(making, courses);
  const made = await makeClazzes(making, { frame, courses, packages });
  const done = { clazzes: made.length, students: new Set(made.flatMap(({ clazz }) => clazz.students)).size, zone };
  await makeHours(making, frame, packages);
  await Promise.all([
    live(making, made, frame, policy.roll_call.edit_window_days),
    makePractices(making, made, courses).then(() => makePlans(making, made, frame)),
  ]);
  await makeExceptions(making, new Map(made.map(({ id, clazz }) => [clazz.key, id])));
  await renewHours(making, packages);
  await settlePolicy(making);
  return done;
};
