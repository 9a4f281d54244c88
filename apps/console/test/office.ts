import { randomUUID } from 'node:crypto';
import { hourCalls, leaveCalls, memberCalls, policyCalls } from '@teaching/contracts';
import type { Page } from 'playwright-core';
import { openConsole, type Visit } from '../../../tools/developers/browser/console.ts';
import type { Stage } from '../../../tools/developers/browser/browser-test.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clazzWith, lessonAt } from '../../../tools/proofs/test/clazz.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';

const MINUTE_MS = 60_000;
export const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * MINUTE_MS).toISOString();

/** A zone in which it is about noon now, so that times a few hours away are on the same day. */
export const noonZone = (): string => {
  const offset = 12 - new Date().getUTCHours();
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
};

/** An organization of its own, with a function that opens its office's page. */
export interface Office {
  fixture: Fixture;
  org: string;
  api: Api;
  open: (stage: Stage, visit?: Visit) => Promise<Page>;
}
export const createOffice = async (fixture: Fixture): Promise<Office> => {
  const org = randomUUID();
  const api = fixture.as({ role: 'SUPERVISOR', org });
  await api.ok(policyCalls.putPolicy, { body: { zone: noonZone() } });
  return {
    fixture,
    org,
    api,
    open: (stage, visit = {}) => openConsole(stage, fixture, { role: 'SUPERVISOR', org }, { path: '/today', ...visit }),
  };
};

const STUDENTS = { mia: 'Mia Berg', tom: 'Tom Reed', lea: '王小明' };

/** Creates two classes with lessons that are over, running, upcoming and cancelled, and an accepted clash. */
export const createBusyDay = async ({ fixture, org, api }: Office) => {
  const people = { ...STUDENTS, li: 'Li Wei', wu: 'Wu Fang' };
  const members = Object.entries(people).map(([user_id, display_name]) => ({
    user_id,
    display_name,
    role: user_id in STUDENTS ? ('STUDENT' as const) : ('TEACHER' as const),
  }));
  await api.ok(memberCalls.putMembers, { body: { members } });
  const clazz = await clazzWith(api, ['mia', 'tom'], { name: 'Algebra', lead_teacher_id: 'li' });
  const other = await clazzWith(api, ['lea'], { name: 'Botany', lead_teacher_id: 'wu' });
  const over = await lessonAt(api, clazz, inMinutes(-200), { room: 'Room 1' });
  const running = await lessonAt(api, other, inMinutes(-30), { room: 'Room 2' });
  const coming = await lessonAt(api, clazz, inMinutes(45), { room: 'Room 1' });
  const kept = await lessonAt(api, other, inMinutes(60), { room: 'Room 1', override: true, reason: 'exams' });
  const cancelled = await lessonAt(api, other, inMinutes(-300));
  await api.post(`/clazz/lesson/${cancelled.id}/cancel`, { reason: 'a burst pipe' });
  await api.ok(hourCalls.grantHours, { body: { student_id: 'mia', hours: '10', expires_at: inMinutes(60 * 24 * 5) } });
  await api.ok(hourCalls.grantHours, { body: { student_id: 'lea', hours: '20' } });
  const requested = await fixture
    .as({ role: 'STUDENT', org, sub: 'mia' })
    .ok(leaveCalls.requestLeave, { body: { lesson_id: coming.id, reason: 'a fever' } });
  return { over, running, coming, kept, cancelled, leave: requested.items[0]?.id ?? '' };
};
