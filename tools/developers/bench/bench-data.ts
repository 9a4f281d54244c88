import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createClient } from '../../../libs/client/src/index.ts';
import { inParallel } from '../../operators/cli/in-parallel.ts';
import { growOrg } from '../../operators/seed/grow-organization.ts';
import { planOrgs, PRINCIPAL } from '../../operators/seed/plan.ts';
import { type Call, send } from './load.ts';
import type { System } from './system.ts';

const BASE = '/api/v1/clazz';
const PARALLEL = 16;
const DAY_MS = 86_400_000;

/** The amount of data for a measurement. */
export interface Sizes {
  /** Organizations with packages, and with classes. */
  orgs: number;
  /** Of each of them. */
  packages: number;
  /** In the organization of the statistics scenarios: twelve for each class. */
  students: number;
}
export const USUAL: Sizes = { orgs: 4, packages: 250, students: 216 };
export const FEW: Sizes = { orgs: 2, packages: 100, students: 72 };

export const ITEMS = 20;
export const MARKED = 30;

/** A person and a record of theirs. */
export interface Owned {
  org: string;
  token: string;
  id: string;
}
export interface PackageData extends Owned {
  course_id: string;
}
export interface ClazzData extends Owned {
  students: readonly string[];
}
export interface LessonData {
  token: string;
  id: string;
  students: readonly string[];
}

const WithId = z.object({ id: z.string() });
const WithIds = z.object({ items: z.array(WithId) });

export const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** A keyword is in about every seventh title. */
export const WORDS =
  `algebra geometry violin piano chess pottery swimming drawing grammar poetry physics biology history dancing theatre
  weaving botany logic singing astronomy`.split(/\s+/);
const wordAt = (n: number): string => WORDS[n % WORDS.length] ?? '';
const titleOf = (n: number): string => `${wordAt(n)} and ${wordAt(7 * n + 3)} with ${wordAt(n * n + 5)}, ${n}`;

/** The n-th quarter of an hour of a day. */
const quarter = (n: number): string => {
  if (n >= 96) throw new Error('No room is left for lessons: measure for fewer seconds');
  return `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`;
};

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** The data of the scenarios in one system, created through its API on first use. */
export const dataOf = (system: System, { orgs, packages, students }: Sizes) => {
  const make = async (call: Call): Promise<string> =>
    WithId.parse(JSON.parse((await send(system.address, call)).body)).id;
  const newOrgs = (): Promise<{ org: string; token: string }[]> =>
    Promise.all(
      Array.from({ length: orgs }, async () => {
        const org = randomUUID();
        return { org, token: await system.token({ org, sub: PRINCIPAL, role: 'SUPERVISOR' }) };
      }),
    );

  const makePackage = async (owner: Omit<PackageData, 'id'>, n: number): Promise<PackageData> => {
    const { token, course_id } = owner;
    const price_minor = 10_000 + ((n * 7_919) % 50_000);
    const body = { title: titleOf(n), price_minor, currency: 'EUR', total_hours: String(ITEMS) };
    const id = await make({ method: 'POST', path: `${BASE}/course-package`, token, body });
    const items = Array.from({ length: ITEMS }, (_, index) => ({
      course_id,
      title: `${titleOf(n + index)} lesson`,
      hours: '1.00',
      note: index % 4 === 0 ? 'bring the exercise book' : null,
    }));
    const list = { package_id: id, items };
    await send(system.address, { method: 'POST', path: `${BASE}/course-package/item/sync`, token, body: list });
    return { ...owner, id };
  };
  const makeClazz = async (owner: Omit<Owned, 'id'>, n: number): Promise<ClazzData> => {
    const { token } = owner;
    const people = Array.from({ length: MARKED }, (_, s) => `student-${n}-${s}`);
    const path = await make({
      method: 'POST',
      path: BASE,
      token,
      body: { name: `Class ${n}`, lead_teacher_id: `teacher-${n}` },
    });
    const post = (what: string, body?: unknown) =>
      send(system.address, { method: 'POST', path: `${BASE}/${what}`, token, ...(body === undefined ? {} : { body }) });
    await post(`${path}/activate`);
    await post(`${path}/student`, { student_ids: people, since: `${dayBefore(60)}T00:00:00Z` });
    await post('hour/grant/bulk', { grants: people.map((student_id) => ({ student_id, hours: '900' })) });
    return { ...owner, id: path, students: people };
  };

  const allPackages = once(async () => {
    const owners = await Promise.all(
      (await newOrgs()).map(async (owner) => {
        const body = { title: 'A course' };
        const course_id = await make({ method: 'POST', path: '/api/v1/ws/course', token: owner.token, body });
        return { ...owner, course_id };
      }),
    );
    // One of each organization in turn, so that adjacent entries do not share one.
    const wanted = Array.from({ length: packages }, (_, n) => owners.map((owner) => ({ owner, n }))).flat();
    return inParallel(wanted, PARALLEL, ({ owner, n }) => makePackage(owner, n));
  });
  const clazzes = once(async () => {
    const owners = await newOrgs();
    const wanted = Array.from({ length: CLAZZES }, (_, n) => owners.map((owner) => ({ owner, n }))).flat();
    return inParallel(wanted, PARALLEL, ({ owner, n }) => makeClazz(owner, n));
  });
  /** An organization with three weeks of roll calls, made as `teaching seed` does. */
  const school = once(async () => {
    const [org] = planOrgs({ name: system.name, orgs: 1, students, weeks: WEEKS });
    if (org === undefined) throw new Error('There is no organization');
    const token = await system.token({ org: org.org_id, sub: PRINCIPAL, role: 'SUPERVISOR' });
    const client = createClient({ base_url: system.address, token });
    const stop = new AbortController().signal;
    await growOrg({ client, weeks: WEEKS, now: new Date(), onClazz: () => undefined, stop }, org);
    const of = async (role: 'TEACHER' | 'STUDENT') =>
      Promise.all(
        org.people
          .filter((person) => person.role === role)
          .slice(0, ASKING)
          .map(async ({ user_id }) => ({
            user_id,
            token: await system.token({ org: org.org_id, sub: user_id, role }),
          })),
      );
    return { token, students: await of('STUDENT'), teachers: await of('TEACHER') };
  });

  let planned = 0;
  /** Lessons without roll call, one of each class in turn, so that concurrent roll calls touch different accounts. */
  const moreLessons = async (): Promise<LessonData[]> => {
    const start_time = quarter(planned++);
    const series = { starts_on: dayBefore(DAYS), start_time, duration_minutes: 15, count: DAYS };
    const byClazz = await inParallel(await clazzes(), PARALLEL, async ({ token, id, students: people }) => {
      const body = { rrule: 'FREQ=DAILY', ...series, zone: 'UTC' };
      const made = await send(system.address, { method: 'POST', path: `${BASE}/${id}/lesson/series`, token, body });
      return WithIds.parse(JSON.parse(made.body)).items.map((lesson) => ({ token, students: people, id: lesson.id }));
    });
    return Array.from({ length: DAYS }, (_, day) => byClazz.flatMap((lessons) => lessons[day] ?? [])).flat();
  };
  return {
    /** Every other package: the plain server edits the ones between. */
    packages: async (from: 0 | 1) => (await allPackages()).filter((_, index) => index % 2 === from),
    clazzes,
    school,
    moreLessons,
  };
};
export type Data = ReturnType<typeof dataOf>;

const CLAZZES = 24;
const WEEKS = 3;
/** Callers of each role. */
const ASKING = 12;
/** Roll call is open for seven days after a lesson, because a run may cross midnight. */
const DAYS = 5;
