import type { ComponentChildren } from 'preact';
import { now } from '../shared/clock.ts';
import { date, day, dayTime, lastMomentBefore, times } from '../shared/format.ts';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import type { Child } from './child.rules.ts';
import { undoMakeUp, withdrawLeave } from './leave-actions.ts';
import type { Leave } from './lesson-days.rules.ts';
import { t } from './family-texts.ts';

interface QuestionProps {
  child: Child;
  leave: Leave;
  onClose: () => void;
}

const LeaveQuestion = ({
  child,
  onClose,
  title,
  keep,
  action,
  about,
  run,
  children,
}: Omit<QuestionProps, 'leave'> & {
  title: string;
  keep: string;
  action: string;
  about: string;
  run: () => Promise<void>;
  children: ComponentChildren;
}) => (
  <Dialog
    title={title}
    onClose={onClose}
    footer={
      <>
        <button type="button" class="button" onClick={onClose}>
          {keep}
        </button>
        <ActionButton kind="danger" run={() => run().then(onClose)}>
          {action}
        </ActionButton>
      </>
    }
  >
    <div class="body">
      {children}
      {!child.isSelf && <p class="muted">{t.forChild(child.name)}</p>}
      <p>{about}</p>
    </div>
  </Dialog>
);

/** Asks before leave is withdrawn: leave that is requested again may be late, or need a new decision. */
export const WithdrawDialog = ({ child, leave, onClose }: QuestionProps) => (
  <LeaveQuestion
    child={child}
    onClose={onClose}
    title={t.withdrawTitle}
    keep={t.keepLeave}
    action={t.withdrawLeave}
    about={t.withdrawAbout}
    run={() => withdrawLeave(child, leave)}
  >
    <p>
      <strong>{leave.clazz_name}</strong>
    </p>
    <p>{t.pair(day(leave.lesson_starts_at), times(leave.lesson_starts_at, leave.lesson_ends_at))}</p>
  </LeaveQuestion>
);

/** Asks before a make-up booking is undone: another student may take the place. */
export const UndoMakeUpDialog = ({ child, leave, onClose }: QuestionProps) => {
  const { make_up } = leave;
  const isExpired = make_up === null || Date.parse(make_up.expires_at) <= now.value;
  return (
    <LeaveQuestion
      child={child}
      onClose={onClose}
      title={t.undoMakeUpTitle}
      keep={t.keepMakeUp}
      action={t.undoMakeUp}
      about={isExpired ? t.undoLastMakeUpAbout : t.undoMakeUpAbout(date(lastMomentBefore(make_up.expires_at)))}
      run={() => undoMakeUp(child, leave)}
    >
      <p>
        <strong>{t.makeUpFor(t.bracketed(leave.clazz_name, day(leave.lesson_starts_at)))}</strong>
      </p>
      {make_up?.lesson_starts_at && <p>{t.madeUpOn(dayTime(make_up.lesson_starts_at))}</p>}
    </LeaveQuestion>
  );
};
