import type { ListedLeave } from '@teaching/contracts';
import type { ComponentChildren } from 'preact';
import { dayTime, times } from '../shared/format.ts';
import { Avatar } from '../shared/parts/avatar.tsx';
import { nameOf } from './leave-decision.state.ts';

/** The student, lesson and reason of a leave in a list. */
export const LeaveSummary = ({ leave, children }: { leave: ListedLeave; children: ComponentChildren }) => (
  <>
    <Avatar name={nameOf(leave)} />
    <div class="what">
      <strong>{nameOf(leave)}</strong>
      <span class="muted">
        {leave.clazz_name} · {dayTime(leave.lesson_starts_at)}
        <span class="visually-hidden"> · {times(leave.lesson_starts_at, leave.lesson_ends_at)}</span>
      </span>
      {leave.reason !== '' && <q>{leave.reason}</q>}
      {children}
    </div>
  </>
);
