import type { Client } from '../../../libs/client/src/index.ts';
import type { Mark } from '../../../libs/contracts/src/clazz/clazz.schema.ts';
import { addDays, DAY_MS, HOUR_MS } from '../../../libs/kit/src/base/time.ts';
import { inParallel } from '../../operators/cli/in-parallel.ts';
import { draw, markOf, OPEN_DAYS, pick, drawnRollCallOf } from './random-draws.rules.ts';
import { localOf } from './days.rules.ts';
import { lessonKey } from './hours.rules.ts';
import { leaveKey, type Leaves, REASONS } from './leaves.ts';
import { allOf, HEAD, type SchoolContext, PARALLEL } from './school-context.ts';
import { joinDay, TRIALS } from './special-students.ts';
import { plannedLessons } from './term.rules.ts';
import type { Frame, MadeClazz } from './timetable.ts';

type Missing = Awaited<ReturnType<Client['listMissingRollCalls']>>['data']['items'][number];

const LATE_REASON = 'Entered from the paper list';

interface Todo extends Missing {
  made: MadeClazz;
  day: string;
  key: string;
}

interface Taking {
  making: SchoolContext;
  frame: Frame;
  leaves: Leaves;
  /** Days after a lesson within which its teacher may still enter it. */
  window: number;
  /** The first lesson of trial students, by the key of the class. */
  trials: ReadonlyMap<string, string>;
}

/** The person who enters it: the teacher, or the office with a reason after the window. */
const taker = ({ making, window }: Taking, { ends_at, teacher_id }: Todo): { who: string; late: { reason?: string } } =>
  making.now.getTime() - Date.parse(ends_at) < window * DAY_MS - HOUR_MS
    ? { who: teacher_id, late: {} }
    : { who: HEAD, late: { reason: LATE_REASON } };

/** Leave that was called in two days before, and approved. */
const excuse = async (taking: Taking, todo: Todo, student_id: string): Promise<void> => {
  const { who, late } = taker(taking, todo);
  const client = taking.making.as(who === HEAD ? HEAD : todo.made.clazz.teacher);
  const called_at = new Date(Date.parse(todo.starts_at) - 2 * DAY_MS).toISOString();
  const reason = pick(REASONS, 'reason', student_id, todo.key);
  const { data } = await client.requestLeave({ body: { student_id, lesson_id: todo.id, reason, called_at } });
  const [asked] = data.items;
  if (asked !== undefined) await client.approveLeave({ path: { id: asked.id }, body: late });
};

const mark = async (taking: Taking, todo: Todo, student_id: string): Promise<Mark> => {
  const { made, key, day } = todo;
  if (!made.clazz.students.includes(student_id) && !(made.clazz.waiting ?? []).includes(student_id)) return 'makeup';
  if (TRIALS[made.clazz.key] === student_id && taking.trials.get(made.clazz.key) === day) return 'trial';
  const known = taking.leaves.get(leaveKey(todo.id, student_id));
  if (known?.status === 'approved') return 'leave';
  const drawn = markOf(student_id, key);
  if (drawn !== 'leave') return drawn;
  if (known !== undefined) return 'absent';
  await excuse(taking, todo, student_id);
  return 'leave';
};

const noteOf = (what: Mark, student_id: string, key: string) =>
  what === 'late' ? { note: `${5 + draw(20, 'minutes', student_id, key)} min` } : {};

const take = async (taking: Taking, todo: Todo): Promise<void> => {
  const { unmarked, key, day, id } = todo;
  const taken = day >= addDays(taking.frame.today, -OPEN_DAYS) ? drawnRollCallOf(key) : 'done';
  const listed = unmarked.toSorted();
  const some = taken === 'done' ? listed : listed.slice(0, -1);
  if (taken === 'missing' || some.length === 0) return;
  const marks = [];
  for (const student_id of some) {
    const what = await mark(taking, todo, student_id);
    marks.push({ student_id, mark: what, ...noteOf(what, student_id, key) });
  }
  const { who, late } = taker(taking, todo);
  await taking.making.as(who).submitRollCall({ path: { lesson_id: id }, body: { marks, ...late } });
};

/** Takes the roll calls of all days before today, day by day, but for a few of the last ones. */
export const takeRollCalls = async (
  making: SchoolContext,
  made: readonly MadeClazz[],
  frame: Frame,
  { leaves, window }: { leaves: Leaves; window: number },
): Promise<void> => {
  const byId = new Map(made.map((it) => [it.id, it]));
  const rows = await allOf((cursor) => making.office.listMissingRollCalls({ query: { limit: '100', cursor } }));
  const todos = rows.flatMap((row): Todo[] => {
    const it = byId.get(row.clazz_id);
    if (it === undefined) return [];
    const at = localOf(frame.zone, row.starts_at);
    return at.day < frame.today ? [{ ...row, made: it, day: at.day, key: lessonKey({ clazz: it.clazz, ...at }) }] : [];
  });
  const planned = plannedLessons(making.clazzes, frame.term, frame.closed).filter(
    ({ day }) => day >= joinDay(frame.term),
  );
  const trials = new Map(planned.toReversed().map(({ clazz, day }) => [clazz.key, day]));
  const taking: Taking = { making, frame, leaves, window, trials };
  for (const day of [...new Set(todos.map((todo) => todo.day))].toSorted()) {
    await inParallel(
      todos.filter((todo) => todo.day === day),
      PARALLEL,
      async (todo) => {
        await take(taking, todo);
        making.onStep();
      },
    );
  }
};
