import type { Role } from '@teaching/contracts';
import { list } from '../shared/format.ts';
import { texts } from '../shared/language.ts';

const t = texts({
  SUPERVISOR: { en: 'Office', zh: '教务' },
  TEACHER: { en: 'Teacher', zh: '教师' },
  STUDENT: { en: 'Student', zh: '学员' },
  GUARDIAN: { en: 'Guardian', zh: '家长' },
});

export const roleName = (role: Role): string => t[role];
export const roleNames = (roles: readonly Role[]): string => list(roles.map(roleName));
