import { randomUUID } from 'node:crypto';
import { courseCalls, memberCalls, policyCalls } from '@teaching/contracts';
import type { Page } from 'playwright-core';
import { openConsole, type Visit } from '../../../tools/developers/browser/console.ts';
import type { Stage } from '../../../tools/developers/browser/browser-test.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clazzWith } from '../../../tools/proofs/test/clazz.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Noon (UTC) on the day that is `days` from today. */
export const noonIn = (days: number): string =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T12:00:00.000Z`;
export const dateIn = (days: number): string => noonIn(days).slice(0, 10);

type FamilyMember = 'mia' | 'tom' | 'mum' | 'dad';
export interface Family {
  api: Api;
  as: (member: FamilyMember) => Api;
  open: (stage: Stage, member: FamilyMember, visit?: Visit) => Promise<Page>;
  algebra: string;
  botany: string;
}

/** Creates two students in two classes of one course, with a mother who sees prices and a father who does not. */
export const createFamily = async (fixture: Fixture): Promise<Family> => {
  const org = randomUUID();
  const api = fixture.as({ role: 'SUPERVISOR', org });
  await api.ok(policyCalls.putPolicy, {
    body: { currency: 'EUR', student_money: 'never', leave: { deadline_hours: 2 } },
  });
  const people = { mia: 'Mia Berg', tom: 'Tom Berg', mum: 'Eva Berg', dad: 'Olaf Berg', li: 'Li Wei', wu: 'Wu Fang' };
  const roleById = (id: string) =>
    ['mia', 'tom'].includes(id) ? 'STUDENT' : ['li', 'wu'].includes(id) ? 'TEACHER' : 'GUARDIAN';
  const members = Object.entries(people).map(
    ([user_id, display_name]) => ({ user_id, display_name, role: roleById(user_id) }) as const,
  );
  await api.ok(memberCalls.putMembers, { body: { members } });
  for (const user_id of ['mia', 'tom'])
    await api.ok(memberCalls.putGuardians, {
      path: { user_id },
      body: {
        guardians: [
          { user_id: 'mum', money: true },
          { user_id: 'dad', money: false },
        ],
      },
    });
  const { id: course_id } = await api.ok(courseCalls.createCourse, { body: { title: 'Science', status: 'active' } });
  const algebra = await clazzWith(api, ['mia'], { name: 'Algebra', lead_teacher_id: 'li', course_id });
  const botany = await clazzWith(api, ['tom'], { name: 'Botany', lead_teacher_id: 'wu', course_id, capacity: 5 });
  const roleOfMember = (member: FamilyMember) => (member === 'mia' || member === 'tom' ? 'STUDENT' : 'GUARDIAN');
  const person = (member: FamilyMember) => ({ role: roleOfMember(member), org, sub: member }) as const;
  return {
    api,
    algebra,
    botany,
    as: (member) => fixture.as(person(member)),
    open: (stage, member, visit = {}) => openConsole(stage, fixture, person(member), { path: '/lessons', ...visit }),
  };
};
