import type { Role } from '@teaching/contracts';
import type { ComponentType } from 'preact';
import type { IconName } from './shared/parts/icon.tsx';
import { texts } from './shared/language.ts';

export interface Screen {
  /** Of preact-iso's router. */
  path: string;
  /** Whose navigation it stands in; whoever else opens it is told that it is not theirs. */
  who: readonly Role[];
  icon: IconName;
  name: () => string;
  /** Only found from another screen. */
  isInner?: boolean;
  load: () => Promise<{ default: ComponentType }>;
}

const t = texts({
  today: { en: 'Today', zh: '今日' },
  timetable: { en: 'Timetable', zh: '课程表' },
  week: { en: 'My week', zh: '我的一周' },
  rollCall: { en: 'Roll call', zh: '点名' },
  lessons: { en: 'My lessons', zh: '我的课程' },
});

/** Every screen, in the order of the navigation; the first of a role is where its people land. */
export const SCREENS: readonly Screen[] = [
  { path: '/today', who: ['SUPERVISOR'], icon: 'today', name: () => t.today, load: () => import('./today/today.tsx') },
  {
    path: '/timetable',
    who: ['SUPERVISOR'],
    icon: 'calendar',
    name: () => t.timetable,
    load: () => import('./timetable/timetable.tsx'),
  },
  { path: '/week', who: ['TEACHER'], icon: 'calendar', name: () => t.week, load: () => import('./week/week.tsx') },
  {
    path: '/roll-call/:lesson_id',
    who: ['TEACHER', 'SUPERVISOR'],
    icon: 'check',
    name: () => t.rollCall,
    isInner: true,
    load: () => import('./roll-call/roll-call.tsx'),
  },
  {
    path: '/lessons',
    who: ['STUDENT', 'GUARDIAN'],
    icon: 'list',
    name: () => t.lessons,
    load: () => import('./lessons/lessons.tsx'),
  },
];

export const screensOf = (roles: readonly Role[]): readonly Screen[] =>
  SCREENS.filter(({ who, isInner }) => isInner !== true && who.some((role) => roles.includes(role)));
