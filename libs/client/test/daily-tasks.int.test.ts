import { DAY_MS } from '@teaching/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { type RequestCounter, countRequests } from './count-requests.ts';
import {
  BOSS,
  type Clazz,
  CLAZZES,
  GUARDIAN,
  IN_CLAZZ,
  MONDAY,
  PEOPLE,
  type School,
  seedSchool,
  teachers,
} from './school.ts';

const MOST_CALLS = 3;

let fixture: Fixture;
let school: School;
let clients: RequestCounter;
const clock = clockAt(MONDAY);
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'], clock: clock.now });
  school = await seedSchool(fixture);
  const things = school.clazzes.flatMap(({ id, lessons }) => [id, ...lessons.map((lesson) => lesson.id)]);
  clients = countRequests(fixture, new Set([...PEOPLE, ...things]));
});
afterAll(() => fixture?.stop());

const office = () => clients.as('SUPERVISOR', BOSS);
const clazz = (n: number): Clazz => {
  const found = school.clazzes[n];
  if (found === undefined) throw new Error(`There is no class ${n}`);
  return found;
};
/** The range of one day in UTC. */
const day = (date: string) => ({
  from: `${date}T00:00:00.000Z`,
  to: new Date(Date.parse(date) + DAY_MS).toISOString(),
});
const [TODAY, WEDNESDAY, THURSDAY, FRIDAY] = ['2026-03-02', '2026-03-04', '2026-03-05', '2026-03-06'] as const;
const named = (user_id: string): string => `Name of ${user_id}`;

/** Daily tasks of an office, a teacher, a student and a guardian, and the number of calls of each. */
const TASKS: Readonly<Record<string, readonly [calls: number, play: () => Promise<void>]>> = {
  'register a family': [
    2,
    async () => {
      const members = [
        { user_id: 'mia', role: 'STUDENT', display_name: 'Mia Berg', birthday: '2015-05-01' } as const,
        { user_id: 'eva', role: 'GUARDIAN', display_name: 'Eva Berg', phone: '+49 30 1234567' } as const,
      ];
      const { data } = await office().putMembers({ body: { members } });
      expect(data.created).toBe(2);
      const guardians = [{ user_id: 'eva', relation: 'mother', money: true }];
      const { data: linked } = await office().putGuardians({ path: { user_id: 'mia' }, body: { guardians } });
      expect(linked).toMatchObject({ student_name: 'Mia Berg', guardians: [{ display_name: 'Eva Berg' }] });
    },
  ],
  'find a person': [
    1,
    async () => {
      const { data } = await office().listMembers({ query: { keyword: '30 1234' } });
      expect(singleElement(data.items)).toMatchObject({ user_id: 'eva', display_name: 'Eva Berg' });
    },
  ],
  "read today's timetable": [
    1,
    async () => {
      const { data } = await office().listLessons({ query: { ...day(TODAY), limit: '100' } });
      expect([data.items.length, data.next_cursor]).toEqual([CLAZZES, null]);
      expect(data.items[0]).toMatchObject({ enrolled: IN_CLAZZ, free: 2, room: expect.stringMatching(/^Room/) });
    },
  ],
  'create a class with a term of lessons': [
    2,
    async () => {
      const student_ids = [0, 1, 2].flatMap((n) => clazz(n).students.slice(0, 2));
      const about = { name: 'Chess', lead_teacher_id: teachers[11] ?? '', capacity: 8 };
      const { data: made } = await office().createClazz({ body: { ...about, student_ids, activate: true } });
      expect([made.status, made.lead_teacher_name]).toEqual(['active', named(teachers[11] ?? '')]);
      expect(made.enrolments?.map(({ status }) => status)).toEqual(student_ids.map(() => 'active'));
      const weekly = { starts_on: '2026-03-07', zone: 'UTC', rrule: 'FREQ=WEEKLY', count: 16 };
      const { data: term } = await office().createLessonSeries({
        path: { id: made.id },
        body: { ...weekly, start_time: '10:00', duration_minutes: 90, room: 'Room 10' },
      });
      expect(term.items).toHaveLength(16);
    },
  ],
  'substitute a teacher for a day': [
    2,
    async () => {
      const body = { teacher_id: teachers[0] ?? '', ...day(WEDNESDAY) };
      const { data: planned } = await office().substituteTeacher({ body: { ...body, preview: true } });
      expect([planned.items.length, planned.unassigned]).toEqual([2, []]);
      const { data } = await office().substituteTeacher({ body });
      expect(data.items.map(({ teacher_id }) => teacher_id)).not.toContain(teachers[0]);
    },
  ],
  'move a lesson to a free room': [
    3,
    async () => {
      const query = { ...day(WEDNESDAY), room: 'Room 3', limit: '100' };
      const { data } = await office().listLessons({ query });
      const [lesson] = data.items;
      if (lesson === undefined) throw new Error('There is no lesson to move');
      const { starts_at: from, ends_at: to, enrolled } = lesson;
      const wanted = { from, to, min_capacity: String(enrolled) };
      const { data: rooms } = await office().listFreeRooms({ query: wanted });
      expect(rooms.items.map(({ name }) => name)).toEqual(['Room 10', 'Room 11']);
      const { data: moved } = await office().updateLesson({
        path: { lesson_id: lesson.id },
        body: { room: rooms.items[0]?.name ?? '' },
      });
      expect(moved).toMatchObject({ room: 'Room 10', starts_at: from });
    },
  ],
  'close the school for a day': [
    2,
    async () => {
      const body = { ...day(FRIDAY), reason: 'storm', reason_public: true };
      const { data: planned } = await office().createClosure({ body: { ...body, preview: true } });
      expect(planned.items).toHaveLength(CLAZZES);
      const { data } = await office().createClosure({ body });
      expect([data.items.length, data.failed]).toEqual([CLAZZES, []]);
    },
  ],
  'sell hours to twelve students': [
    1,
    async () => {
      const twelve = [...clazz(0).students, ...clazz(1).students];
      const lot = { hours: '10', package_id: school.package_id, price_minor: 50_000 };
      const grants = twelve.map((student_id) => ({ student_id, ...lot }));
      const { data } = await office().grantHoursInBulk({ body: { grants } });
      expect(data.items.map(({ student_name, balance }) => [student_name, balance])).toEqual(
        twelve.map((student) => [named(student), '10.00']),
      );
    },
  ],
  'list students with few hours': [
    1,
    async () => {
      const query = { balance_below: '2', sort: 'balance', limit: '100' } as const;
      const { data } = await office().listHourAccounts({ query });
      expect(data.items).toHaveLength(100);
      expect(data.items.map(({ balance }) => Number(balance))).toEqual(data.items.map(() => 0));
    },
  ],
  "read this month's sales": [
    2,
    async () => {
      const { data } = await office().getHourSummary({});
      expect(data.money).toEqual([{ currency: 'EUR', sold_minor: 600_000, refunded_minor: 0 }]);
      expect(data.by_package).toMatchObject([{ package_title: 'Ten hours', granted: '120.00' }]);
      const { data: sold } = await office().listHourEntries({ query: { kind: 'grant', limit: '100' } });
      expect(sold.items.map(({ price_minor }) => price_minor)).toEqual(Array.from({ length: 12 }, () => 50_000));
    },
  ],
  'decide on a leave': [
    2,
    async () => {
      const { data } = await office().listLeaves({ query: { status: 'pending' } });
      const asked = singleElement(data.items);
      expect(asked).toMatchObject({ clazz_name: 'Class 1', approval: { charge_hours: '0.00' }, quota: { used: 1 } });
      const { data: decided } = await office().approveLeave({ path: { id: asked.id } });
      expect([decided.status, decided.make_up?.status]).toEqual(['approved', 'available']);
    },
  ],
  'find and book a make-up lesson': [
    3,
    async () => {
      const [, student_id = ''] = clazz(0).students;
      const { data } = await office().listLeaves({ query: { student_id, status: 'approved' } });
      const { id } = singleElement(data.items);
      const { data: options } = await office().listMakeUpOptions({ path: { id }, query: day(THURSDAY) });
      const [best] = options.items;
      expect(best).toMatchObject({ same_course: true, clazz_name: expect.stringMatching(/^Class/) });
      const { data: booked } = await office().bookMakeUp({ path: { id }, body: { lesson_id: best?.id ?? '' } });
      expect(booked.make_up).toMatchObject({ status: 'used', lesson_id: best?.id });
    },
  ],
  "take the roll call of a teacher's lesson": [
    3,
    async () => {
      clock.set(`${TODAY}T13:30:00Z`);
      const teacher = clients.as('TEACHER', teachers[2] ?? '');
      const query = { teacher_id: teachers[2] ?? '', ...day(TODAY) };
      const { data } = await teacher.listLessons({ query });
      expect(data.items.map(({ marks }) => marks.unmarked)).toEqual([IN_CLAZZ, IN_CLAZZ]);
      const path = { lesson_id: data.items[0]?.id ?? '' };
      const { data: listed } = await teacher.getRollCall({ path });
      const marks = listed.marks.map(({ student_id }) => ({ student_id, mark: 'present' as const }));
      const { data: taken } = await teacher.submitRollCall({ path, body: { marks } });
      expect(taken.marks.map(({ mark }) => mark)).toEqual(marks.map(() => 'present'));
    },
  ],
  "read a student's week and balance": [
    2,
    async () => {
      const [sub = ''] = clazz(0).students;
      const student = clients.as('STUDENT', sub);
      const { data } = await student.listLessons({ query: { from: day(TODAY).from, to: day(FRIDAY).to } });
      expect(data.items.map(({ status }) => status)).toEqual([...Array(4).fill('scheduled'), 'cancelled']);
      const { data: account } = await student.getHourAccount({ path: { student_id: sub } });
      expect([account.balance, account.student_name]).toEqual(['10.00', named(sub)]);
    },
  ],
  'quote leave for a lesson': [
    2,
    async () => {
      const [sub = ''] = clazz(0).students;
      const student = clients.as('STUDENT', sub);
      const { data: lessons } = await student.listLessons({ query: day(THURSDAY) });
      const { data } = await student.quoteLeave({ query: { lesson_id: singleElement(lessons.items).id } });
      expect(data).toMatchObject({ in_time: true, charge_hours: '0.00' });
    },
  ],
  'request leave for a child as a guardian': [
    3,
    async () => {
      const guardian = clients.as('GUARDIAN', GUARDIAN);
      const { data: me } = await guardian.getMe({});
      const { user_id: student_id, display_name } = singleElement(me.children);
      expect(display_name).toBe(named(student_id));
      const { data } = await guardian.listLessons({ query: { student_id, ...day(THURSDAY) } });
      const lesson = singleElement(data.items);
      const body = { student_id, lesson_id: lesson.id, reason: 'has a fever' };
      const { data: asked } = await guardian.requestLeave({ body });
      expect(singleElement(asked.items)).toMatchObject({ status: 'pending', in_time: true, requested_by: GUARDIAN });
    },
  ],
};

it.each(Object.entries(TASKS).map(([task, [calls, play]]) => ({ task, calls, play })))(
  'completes the daily task "$task" in $calls calls',
  async ({ calls, play }) => {
    await play();
    const asked = clients.asked();
    expect(asked).toEqual({ calls: asked.calls.slice(0, calls), wrong: [] });
    expect(calls).toBeLessThanOrEqual(MOST_CALLS);
  },
);
