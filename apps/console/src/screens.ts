import type { Role } from '@teaching/contracts';
import type { ComponentType } from 'preact';
import type { Translation } from './shared/language.ts';
import type { IconName } from './shared/parts/icon.tsx';

export interface Screen {
  /** The route of the screen, in the syntax of preact-iso. */
  path: string;
  /** The roles that see the screen in the navigation. Other members who open it see for which roles it is. */
  roles: readonly Role[];
  icon: IconName;
  name: Translation<string>;
  /** The navigation does not list it; other screens link to it. */
  isInner?: boolean;
  load: () => Promise<{ default: ComponentType }>;
}

/** All screens, in the order of the navigation. A member starts on the first screen of their roles. */
export const SCREENS: readonly Screen[] = [
  {
    path: '/today',
    roles: ['SUPERVISOR'],
    icon: 'today',
    name: { en: 'Today', zh: '今天' },
    load: () => import('./today/today.tsx'),
  },
  {
    path: '/timetable',
    roles: ['SUPERVISOR'],
    icon: 'calendar',
    name: { en: 'Timetable', zh: '课表' },
    load: () => import('./timetable/timetable.tsx'),
  },
  {
    path: '/week',
    roles: ['TEACHER'],
    icon: 'calendar',
    name: { en: 'My week', zh: '我的一周' },
    load: () => import('./week/week.tsx'),
  },
  {
    path: '/roll-call/:lesson_id',
    roles: ['TEACHER', 'SUPERVISOR'],
    icon: 'check',
    name: { en: 'Roll call', zh: '点名' },
    isInner: true,
    load: () => import('./roll-call/roll-call.tsx'),
  },
  {
    path: '/lessons',
    roles: ['STUDENT', 'GUARDIAN'],
    icon: 'list',
    name: { en: 'My lessons', zh: '我的课表' },
    load: () => import('./lessons/lessons.tsx'),
  },
];

export const screensOf = (of: readonly Role[]): readonly Screen[] =>
  SCREENS.filter(({ roles, isInner }) => isInner !== true && roles.some((role) => of.includes(role)));
