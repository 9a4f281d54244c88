import { type Client, rowsOf } from '../../../libs/client/src/index.ts';
import { inParallel } from '../cli/in-parallel.ts';
import { markOf, type PlannedClazz, type PlannedOrg } from './plan.ts';

/** Requests in progress at once. */
const PARALLEL = 8;
const MEMBERS_AT_ONCE = 500;
const DAY_MS = 86_400_000;
const WEEKS_TO_COME = 2;
const LESSON_MINUTES = 50;
const HOURS = '120.00';
const LATE_REASON = 'entered later';

/** How an organization is created. */
export interface Growing {
  /** As its principal. */
  client: Client;
  weeks: number;
  now: Date;
  /** Called after each step. */
  onClazz: () => void;
  stop: AbortSignal;
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
/** A weekday of the first past week, in UTC. */
const firstDay = (now: Date, weeks: number, weekday: number): Date => {
  const sinceMonday = (now.getUTCDay() + 6) % 7;
  return new Date(now.getTime() + (weekday - sinceMonday - 7 * weeks) * DAY_MS);
};

const putPeople = async (client: Client, { people }: PlannedOrg): Promise<void> => {
  for (let from = 0; from < people.length; from += MEMBERS_AT_ONCE)
    await client.putMembers({ body: { members: people.slice(from, from + MEMBERS_AT_ONCE) } });
};

/** Existing classes, by name. */
const clazzesOf = async (client: Client): Promise<Map<string, { id: string; status: string }>> => {
  const found = new Map<string, { id: string; status: string }>();
  for await (const { name, id, status } of rowsOf((cursor) => client.listClazzes({ query: { cursor, limit: '100' } })))
    found.set(name, { id, status });
  return found;
};

/** Grants hours to students without any. */
const grantHours = async (client: Client, student_ids: readonly string[]): Promise<void> => {
  const accounts = await Promise.all(
    student_ids.map(async (student_id) => (await client.getHourAccount({ path: { student_id } })).data),
  );
  const without = accounts.filter(({ lots }) => lots.length === 0);
  if (without.length === 0) return;
  await client.grantHoursInBulk({ body: { grants: without.map(({ student_id }) => ({ student_id, hours: HOURS })) } });
};

const enrol = async (client: Client, id: string, wanted: readonly string[], since: string): Promise<void> => {
  const there = new Set<string>();
  for await (const { student_id } of rowsOf((cursor) => client.listEnrolments({ path: { id }, query: { cursor } })))
    there.add(student_id);
  const student_ids = wanted.filter((student_id) => !there.has(student_id));
  if (student_ids.length > 0) await client.enrolStudents({ path: { id }, body: { student_ids, since } });
};

const planLessons = async (
  client: Client,
  id: string,
  clazz: PlannedClazz,
  first: Date,
  weeks: number,
): Promise<void> => {
  const { items } = (await client.listClazzLessons({ path: { id }, query: { limit: '1' } })).data;
  if (items.length > 0) return;
  const { start_time } = clazz;
  const body = {
    starts_on: dayOf(first),
    start_time,
    duration_minutes: LESSON_MINUTES,
    zone: 'UTC',
    rrule: 'FREQ=WEEKLY',
  };
  await client.createLessonSeries({ path: { id }, body: { ...body, count: weeks + WEEKS_TO_COME } });
};

/** Takes the missing roll calls. A page that is skipped appears again, so the loop ends. */
const takeRollCalls = async (client: Client, clazz_id: string, stop: AbortSignal): Promise<void> => {
  for await (const lesson of rowsOf((cursor) => client.listMissingRollCalls({ query: { clazz_id, cursor } }))) {
    if (stop.aborted) return;
    const marks = lesson.unmarked.map((student_id) => ({ student_id, mark: markOf(student_id, lesson.starts_at) }));
    await client.submitRollCall({ path: { lesson_id: lesson.id }, body: { marks, reason: LATE_REASON } });
  }
};

const growClazz = async (
  growing: Growing,
  clazz: PlannedClazz,
  known: { id: string; status: string } | undefined,
): Promise<void> => {
  const { client, weeks, now, stop } = growing;
  const first = firstDay(now, weeks, clazz.weekday);
  const body = { name: clazz.name, lead_teacher_id: clazz.teacher_id };
  const { id, status } = known ?? (await client.createClazz({ body })).data;
  const path = { id };
  if (status === 'draft') await client.activateClazz({ path });
  if (stop.aborted) return;
  await grantHours(client, clazz.student_ids);
  await enrol(client, id, clazz.student_ids, `${dayOf(first)}T00:00:00Z`);
  await planLessons(client, id, clazz, first, weeks);
  await takeRollCalls(client, id, stop);
};

/**
 * Completes an organization through the API. Each step reads the present state first: an interrupted run is continued by the next
 * one, and a run after that changes nothing.
 */
export const growOrg = async (growing: Growing, org: PlannedOrg): Promise<void> => {
  const { client, stop, onClazz } = growing;
  await putPeople(client, org);
  const known = await clazzesOf(client);
  await inParallel(org.clazzes, PARALLEL, async (clazz) => {
    if (stop.aborted) return;
    await growClazz(growing, clazz, known.get(clazz.name));
    onClazz();
  });
};
