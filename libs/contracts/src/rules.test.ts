import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closureCalls } from './clazz/closure.calls.ts';
import { enrolmentCalls } from './clazz/enrolment.calls.ts';
import { leaveCalls } from './clazz/leave.calls.ts';
import { lessonCalls, seriesCalls } from './clazz/lesson.calls.ts';
import { memberCalls } from './clazz/member.calls.ts';
import { roomCalls } from './clazz/room.calls.ts';
import { jihuaCalls } from './course/jihua.calls.ts';
import { lianxiCalls } from './course/lianxi.calls.ts';
import { packageCalls } from './package/package.calls.ts';
import { allCalls } from './registry.ts';
import { partsOf } from './schema-parts.ts';

const ID = '01900000-0000-7000-8000-000000000001';
const [EARLY, LATE] = ['2030-01-01T10:00:00Z', '2030-01-01T11:00:00Z'];
const SERIES = {
  starts_on: '2030-01-01',
  start_time: '10:00',
  duration_minutes: 60,
  zone: 'UTC',
  rrule: 'FREQ=DAILY',
  count: 1,
};
const pathsOf = (schema: z.ZodType, value: unknown): string[] =>
  [
    ...new Set(
      (schema.safeParse(value).error?.issues ?? []).flatMap((issue) =>
        issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('/')],
      ),
    ),
  ].toSorted();

describe('A rule over several fields', () => {
  it.each<[string, z.ZodType, unknown, string[]]>([
    [
      'an empty range',
      roomCalls.listFreeRooms.query,
      { from: LATE, to: EARLY, limit: '0', x: '1' },
      ['limit', 'to', 'x'],
    ],
    ['the same in a body', closureCalls.createClosure.body, { from: LATE, to: LATE }, ['reason', 'to']],
    [
      'several rules',
      leaveCalls.requestLeave.body,
      { lesson_id: ID, from: LATE, to: EARLY, clazz_id: ID },
      ['clazz_id', 'lesson_id', 'reason', 'to'],
    ],
    [
      'the times of a lesson',
      lessonCalls.createLesson.body,
      { starts_at: LATE, ends_at: EARLY, room: 1 },
      ['ends_at', 'room'],
    ],
    [
      'the days of a plan',
      jihuaCalls.createJihua.body,
      { starts_on: '2030-01-02', ends_on: '2030-01-01', zone: 'UTC', weekdays: [1], rrule: 'FREQ=DAILY' },
      ['ends_on', 'rrule', 'title'],
    ],
    [
      'the length of a plan',
      jihuaCalls.updateJihua.body,
      { starts_on: '2030-01-01', ends_on: '2035-01-06', title: 1 },
      ['ends_on', 'title'],
    ],
    [
      'the times of an exercise',
      lianxiCalls.updateLianxi.body,
      { due_at: LATE, closes_at: EARLY, title: 1 },
      ['closes_at', 'title'],
    ],
    [
      'a repeated id',
      enrolmentCalls.enrolStudents.body,
      { student_ids: ['a', '', 'a'], since: 1 },
      ['since', 'student_ids/1', 'student_ids/2'],
    ],
    [
      'a repeated id of an entry',
      packageCalls.syncPackageItems.body,
      { package_id: ID, items: [{ id: ID }, { id: ID, course_id: ID, title: 't', hours: 1 }] },
      ['items/0/course_id', 'items/0/hours', 'items/0/title', 'items/1/id'],
    ],
    [
      'the roles and names of people',
      memberCalls.putMembers.body,
      { members: [{ user_id: 'a,b', role: 'TEACHER', roles: ['STUDENT'], display_name: '' }] },
      ['members/0/display_name', 'members/0/roles', 'members/0/user_id'],
    ],
    [
      'the reason of an override, of a new lesson',
      lessonCalls.createLesson.body,
      { starts_at: LATE, ends_at: EARLY, override: true },
      ['ends_at', 'reason'],
    ],
    [
      'the same beside a malformed instant',
      lessonCalls.createLesson.body,
      { starts_at: 'x', ends_at: EARLY, override: true },
      ['reason', 'starts_at'],
    ],
    ['the same of a changed lesson', seriesCalls.updateLesson.body, { override: true, room: 1 }, ['reason', 'room']],
    [
      'the same of a series',
      seriesCalls.createLessonSeries.body,
      { ...SERIES, rrule: 'FREQ=X', override: true },
      ['reason', 'rrule'],
    ],
    [
      'the time of a call',
      leaveCalls.requestLeave.body,
      { lesson_id: ID, reason: '', called_by: 'mother' },
      ['called_at', 'reason'],
    ],
  ])('is checked beside other problems: %s', (_what, schema, value, paths) => {
    expect(pathsOf(schema, value)).toEqual(paths);
  });

  it('is not checked if a field that it reads is wrong', () => {
    expect(pathsOf(roomCalls.listFreeRooms.query, { from: 'x', to: EARLY })).toEqual(['from']);
    expect(pathsOf(roomCalls.listFreeRooms.query, 3)).toEqual(['']);
    expect(pathsOf(enrolmentCalls.enrolStudents.body, { student_ids: 'a' })).toEqual(['student_ids']);
  });

  it('is never declared so that zod would skip it', () => {
    const seen = new Set<z.ZodType>();
    const hasSkipped = (schema: z.ZodType): boolean => {
      if (seen.has(schema)) return false;
      seen.add(schema);
      const isContainer = schema instanceof z.ZodObject || schema instanceof z.ZodArray;
      const rules = schema._zod.def.checks?.map(({ _zod: { def } }) => def).filter(({ check }) => check === 'custom');
      if (isContainer && rules?.some(({ when }) => when === undefined) === true) return true;
      return partsOf(schema, 'input').some(hasSkipped);
    };
    const calls = allCalls.filter(({ input }) => hasSkipped(input));
    expect(calls.map(({ id }) => id)).toEqual([]);
  });
});
