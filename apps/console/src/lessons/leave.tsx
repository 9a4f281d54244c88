import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { now } from '../shared/clock.ts';
import { date, day, dayTime, lastMomentBefore, times } from '../shared/format.ts';
import { ListView } from '../shared/parts/list-view.tsx';
import { Empty } from '../shared/parts/message.tsx';
import { useRows } from '../shared/row-query.ts';
import type { Child } from './child.rules.ts';
import { hasCredit, type Leave } from './lesson-days.rules.ts';
import { MakeUpDialog } from './make-up-dialog.tsx';
import { UndoMakeUpDialog, WithdrawDialog } from './undo-dialogs.tsx';
import { ChildCard } from './child-card.tsx';
import { common } from '../shared/common-texts.ts';
import { t } from './family-texts.ts';

const TONES = { pending: 'warn', approved: 'info', rejected: 'bad', cancelled: '' } as const;

const Status = ({ leave: { status, in_time } }: { leave: Leave }) => {
  const statusTexts = {
    pending: t.leavePending,
    approved: t.leaveApproved,
    rejected: t.leaveRejected,
    cancelled: t.leaveCancelled,
  };
  return (
    <>
      <span class={`badge ${TONES[status]}`}>{statusTexts[status]}</span>
      {!in_time && status !== 'cancelled' && <span class="badge warn">{t.late}</span>}
    </>
  );
};

/** The state of the make-up credit of a leave. */
const Credit = ({ leave: { make_up } }: { leave: Leave }) => {
  if (make_up === null) return null;
  const end = date(lastMomentBefore(make_up.expires_at));
  switch (make_up.status) {
    case 'available':
      return <p class="small">{t.creditOpen(end)}</p>;
    case 'expired':
      return <p class="small muted">{t.creditOver(end)}</p>;
    case 'used':
      return make_up.lesson_starts_at === null ? null : (
        <p class="small">{t.madeUpOn(dayTime(make_up.lesson_starts_at))}</p>
      );
    case 'withdrawn':
      return null;
    default:
      return make_up.status satisfies never;
  }
};

const LeaveRow = ({ child, leave }: { child: Child; leave: Leave }) => {
  const [dialog, setDialog] = useState<'withdraw' | 'undo' | 'makeUp'>();
  const isOpen = leave.status === 'pending' || leave.status === 'approved';
  const isAhead = Date.parse(leave.lesson_starts_at) > now.value;
  const booked = leave.make_up?.status === 'used' ? leave.make_up.lesson_starts_at : null;
  const isBookedAhead = leave.status === 'approved' && booked !== null && Date.parse(booked) > now.value;
  return (
    <li class={`leave${leave.status === 'cancelled' ? ' off' : ''}`}>
      <div>
        <h3>
          {leave.clazz_name} <Status leave={leave} />
        </h3>
        <p>{t.pair(day(leave.lesson_starts_at), times(leave.lesson_starts_at, leave.lesson_ends_at))}</p>
        <p class="small muted">
          {leave.reason}
          {leave.decided_by_name !== null && ` · ${t.decidedBy(leave.decided_by_name)}`}
        </p>
        {leave.decision_reason !== null && <p class="small">{common.labelled(t.decision, leave.decision_reason)}</p>}
        <Credit leave={leave} />
      </div>
      <div class="acts">
        {hasCredit(leave) && (
          <button key="make-up" type="button" class="button main" onClick={() => setDialog('makeUp')}>
            {t.chooseMakeUp}
          </button>
        )}
        {isBookedAhead && (
          <button key="undo" type="button" class="button quiet" onClick={() => setDialog('undo')}>
            {t.undoMakeUp}
          </button>
        )}
        {isOpen && isAhead && !isBookedAhead && (
          <button key="withdraw" type="button" class="button quiet" onClick={() => setDialog('withdraw')}>
            {t.withdrawLeave}
          </button>
        )}
      </div>
      {dialog === 'withdraw' && <WithdrawDialog child={child} leave={leave} onClose={() => setDialog(undefined)} />}
      {dialog === 'undo' && <UndoMakeUpDialog child={child} leave={leave} onClose={() => setDialog(undefined)} />}
      {dialog === 'makeUp' && <MakeUpDialog child={child} leave={leave} onClose={() => setDialog(undefined)} />}
    </li>
  );
};

/** All leave of one child, newest first. */
export const LeaveOf = ({ child, isNamed }: { child: Child; isNamed: boolean }) => {
  const leaves = useRows(
    `leave ${child.id}`,
    (cursor, signal) => api.listLeaves({ query: { student_id: child.id, limit: '20', cursor } }, { signal }),
    { kinds: ['leave', 'lesson', 'roll_call'] },
  );
  return (
    <ChildCard title={t.leaveTitle} child={child} isNamed={isNamed}>
      <ListView query={leaves} rows={6} empty={<Empty title={t.noLeave}>{t.noLeaveWhy}</Empty>}>
        {(leave) => <LeaveRow key={leave.id} child={child} leave={leave} />}
      </ListView>
    </ChildCard>
  );
};
