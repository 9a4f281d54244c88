import type { Policy } from '../../../libs/contracts/src/clazz/policy.schema.ts';
import { inParallel } from '../../operators/cli/in-parallel.ts';
import { ROOMS } from './clazzes.ts';
import { allOf, type SchoolContext, PARALLEL } from './school-context.ts';
import { people, SCHOOL_NAME, students, ties } from './people.ts';
import { zoneFor } from './term.rules.ts';

/** Lets teachers enter past weeks while the school is created; then sets the usual window. */
const MAKING_DAYS = 400;
const USUAL_DAYS = 7;

const settings = (zone: string, edit_window_days: number) => ({
  zone,
  currency: 'EUR',
  org_name: SCHOOL_NAME,
  student_money: 'adults' as const,
  roll_call: { edit_window_days },
});

/** The policy in force. A policy that a person changed is kept. */
export const makePolicy = async ({ office, now, length }: SchoolContext): Promise<Policy> => {
  const { data } = await office.getPolicy({});
  if (data.version > 1) return data;
  return (await office.putPolicy({ body: settings(zoneFor(now, length), MAKING_DAYS) })).data;
};

/** Once everything is entered. */
export const settlePolicy = async ({ office }: SchoolContext): Promise<void> => {
  const { data } = await office.getPolicy({});
  if (data.org_name !== SCHOOL_NAME || data.roll_call.edit_window_days !== MAKING_DAYS) return;
  const leave = { approval: 'in_time' as const, deadline_hours: 12 };
  await office.putPolicy({ body: { ...settings(data.zone, USUAL_DAYS), leave } });
};

/** The directory and guardians. Changes by others are kept. */
export const makePeople = async ({ office }: SchoolContext): Promise<void> => {
  const there = new Set(
    (await allOf((cursor) => office.listMembers({ query: { limit: '100', cursor } }))).map((it) => it.user_id),
  );
  const missing = people.filter(({ user_id }) => !there.has(user_id));
  if (missing.length > 0)
    await office.putMembers({
      body: { members: missing.map(({ job, ...it }) => ({ ...it, note: job === '' ? null : job })) },
    });
  const children = students.filter(({ user_id }) => ties.some((tie) => tie.student_id === user_id));
  await inParallel(children, PARALLEL, async ({ user_id }) => {
    const { data } = await office.listGuardians({ path: { user_id } });
    if (data.guardians.length > 0) return;
    const guardians = ties
      .filter((tie) => tie.student_id === user_id)
      .map(({ guardian_id, relation, money }) => ({ user_id: guardian_id, relation, money }));
    await office.putGuardians({ path: { user_id }, body: { guardians } });
  });
};

export const makeRooms = async ({ office }: SchoolContext): Promise<void> => {
  const there = await allOf((cursor) => office.listRooms({ query: { limit: '100', cursor } }));
  const missing = ROOMS.filter(({ name }) => !there.some((room) => room.name === name));
  await inParallel(missing, PARALLEL, (body) => office.createRoom({ body }));
};

/** Adds the days without lessons to those that are there. */
export const makeHolidays = async ({ office }: SchoolContext, closed: readonly string[]): Promise<void> => {
  const { holidays } = (await office.listHolidays({})).data;
  const missing = closed.filter((date) => !holidays.some((day) => day.date === date));
  if (missing.length === 0) return;
  const added = missing.map((date) => ({ date, name: 'Teachers’ day 教研日' }));
  await office.putHolidays({ body: { holidays: [...holidays, ...added] } });
};
