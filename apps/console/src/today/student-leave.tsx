import type { ListedLeave } from '@teaching/contracts';
import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { dayTime, orgZone } from '../shared/format.ts';
import { useOpenState } from '../shared/open-state.ts';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { Empty } from '../shared/parts/message.tsx';
import { QueryView } from '../shared/parts/query-view.tsx';
import { useQuery } from '../shared/query.ts';
import { readAllRows } from '../shared/row-query.ts';
import { addDays, localOf, rangeOf } from '../shared/zone.rules.ts';
import { Decided } from './approved-leave.tsx';
import { EnterLeave } from './enter-leave.tsx';
import { isAhead, reopenLeave, withdrawLeave } from './leave-decision.state.ts';
import { comingAndPast, type LessonWithLeave, withStudentLeave } from './leave-entry.rules.ts';
import { t } from './today-texts.ts';

const PAST_DAYS = 14;
/** The weeks of coming lessons that are shown at first, and that “Show more” adds. */
const WEEKS = 4;

const useStudentLeave = (student_id: string, weeks: number) => {
  const today = localOf(now.value, orgZone()).date;
  const { from, to } = rangeOf(addDays(today, -PAST_DAYS), PAST_DAYS + weeks * 7, orgZone());
  return useQuery(
    `lessons and leave of ${student_id} ${from} ${to}`,
    async (signal) => {
      const query = { student_id, from, to, status: 'scheduled,held' };
      const [lessons, leaves] = await Promise.all([
        readAllRows((page) => api.listLessons({ query: { ...query, ...page } }, { signal })),
        readAllRows((page) => api.listLeaves({ query: { student_id, ...page } }, { signal })),
      ]);
      return withStudentLeave(lessons, leaves);
    },
    { kinds: ['leave', 'lesson', 'roll_call', 'enrolment', 'clazz', 'member'] },
  );
};

interface LessonRowProps {
  row: LessonWithLeave;
  student_id: string;
  onEntered: () => void;
}

const STATUS_TONES = { pending: 'warn', approved: 'info', rejected: 'bad', cancelled: '' } as const;

/** Asks before approved leave is withdrawn. */
const WithdrawQuestion = ({ leave, onClose }: { leave: ListedLeave; onClose: () => void }) => (
  <div class="ask">
    <p>{leave.make_up === null ? t.withdrawWhat : t.withdrawWithCredit}</p>
    <div class="acts">
      <button type="button" class="button quiet" onClick={onClose}>
        {common.cancel}
      </button>
      <ActionButton kind="danger" run={() => withdrawLeave(leave).then(onClose)}>
        {t.withdrawLeave}
      </ActionButton>
    </div>
  </div>
);

const LessonRow = ({ row: { lesson, leave, makesUpFor }, student_id, onEntered }: LessonRowProps) => {
  const [isEntering, setEntering] = useOpenState(`enter leave ${lesson.id} ${student_id}`, false);
  const [isWithdrawing, setWithdrawing] = useState(false);
  const statusTexts = {
    pending: t.leavePending,
    approved: t.leaveApproved,
    rejected: t.leaveRejected,
    cancelled: common.cancelled,
  };
  const what = `${lesson.clazz_name}, ${dayTime(lesson.starts_at)}`;
  const canDecideAgain = leave !== undefined && leave.status !== 'pending' && isAhead(leave);
  const canEnter =
    makesUpFor === undefined && (leave === undefined || (leave.status === 'rejected' && !isAhead(leave)));
  return (
    <li class="waiting leave">
      <div class="what">
        <strong>{lesson.clazz_name}</strong>
        <span class="muted">{dayTime(lesson.starts_at)}</span>
        {makesUpFor !== undefined && <span class="badge">{t.makeUpLesson}</span>}
        {leave !== undefined && (
          <>
            <span class={`badge ${STATUS_TONES[leave.status]}`}>{statusTexts[leave.status]}</span>
            {leave.reason !== '' && <q>{leave.reason}</q>}
            {leave.status !== 'pending' && <Decided leave={leave} />}
          </>
        )}
      </div>
      {!isEntering && !isWithdrawing && (
        <div class="acts">
          {canEnter && (
            <button
              type="button"
              class="button quiet"
              aria-label={t.enterLeaveFor(what)}
              onClick={() => setEntering(true)}
            >
              {t.enterLeave}
            </button>
          )}
          {canDecideAgain && leave.status === 'approved' && (
            <button
              type="button"
              class="button quiet"
              aria-label={t.withdrawLeaveFor(what)}
              onClick={() => setWithdrawing(true)}
            >
              {t.withdrawLeave}
            </button>
          )}
          {canDecideAgain && (
            <ActionButton kind="quiet" label={t.reopenFor(what)} run={() => reopenLeave(leave)}>
              {t.reopen}
            </ActionButton>
          )}
        </div>
      )}
      {isWithdrawing && leave !== undefined && <WithdrawQuestion leave={leave} onClose={() => setWithdrawing(false)} />}
      {isEntering && (
        <EnterLeave lesson={lesson} student_id={student_id} onEntered={onEntered} onCancel={() => setEntering(false)} />
      )}
    </li>
  );
};

/** The lessons of a student with leave. The office enters leave here, also after the deadline or the lesson. */
export const StudentLeave = ({ student_id, onEntered }: { student_id: string; onEntered: () => void }) => {
  const [weeks, setWeeks] = useState(WEEKS);
  const lessons = useStudentLeave(student_id, weeks);
  const group = (title: string, rows: readonly LessonWithLeave[]) =>
    rows.length > 0 && (
      <section class="card">
        <header>
          <h3>{title}</h3>
        </header>
        <ul class="rows">
          {rows.map((row) => (
            <LessonRow key={row.lesson.id} row={row} student_id={student_id} onEntered={onEntered} />
          ))}
        </ul>
      </section>
    );
  return (
    <div class="body waits">
      <QueryView query={lessons} rows={5}>
        {(rows) => {
          const { coming, past } = comingAndPast(rows, now.value);
          return (
            <>
              {rows.length === 0 && <Empty title={t.noStudentLessons(weeks)} />}
              {group(t.comingLessons(weeks), coming)}
              <button type="button" class="button" onClick={() => setWeeks(weeks + WEEKS)}>
                {common.more}
              </button>
              {group(t.pastLessons(PAST_DAYS), past)}
            </>
          );
        }}
      </QueryView>
    </div>
  );
};
