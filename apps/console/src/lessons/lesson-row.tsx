import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { day, dayTime, hours, time, times } from '../shared/format.ts';
import { useOpenState } from '../shared/open-state.ts';
import { lessonActionsOf, type ChildLesson, markOf } from './lesson-days.rules.ts';
import { LeaveDialog } from './leave-dialog.tsx';
import { MakeUpDialog } from './make-up-dialog.tsx';
import { UndoMakeUpDialog, WithdrawDialog } from './undo-dialogs.tsx';
import { t } from './family-texts.ts';

const TONES = { present: 'good', late: 'warn', absent: 'bad', leave: 'info', makeup: 'good', trial: '' } as const;

const Badges = ({ childLesson }: { childLesson: ChildLesson }) => {
  const { lesson, leave, makesUpFor, isSubstituted } = childLesson;
  const mark = markOf(lesson);
  const isNow =
    lesson.status !== 'cancelled' &&
    Date.parse(lesson.starts_at) <= now.value &&
    Date.parse(lesson.ends_at) > now.value;
  return (
    <>
      {isNow && <span class="badge accent">{t.now}</span>}
      {lesson.status === 'cancelled' && (
        <span class="badge bad">{lesson.cancelled_by === 'teacher' ? t.cancelledByTeacher : t.cancelledBySchool}</span>
      )}
      {makesUpFor && <span class="badge accent">{t.isMakeUp}</span>}
      {lesson.status !== 'cancelled' && mark === undefined && leave?.status === 'pending' && (
        <span class="badge warn">{t.leavePending}</span>
      )}
      {lesson.status !== 'cancelled' && mark === undefined && leave?.status === 'approved' && (
        <span class="badge info">{t.leaveApproved}</span>
      )}
      {leave?.status === 'rejected' && <span class="badge bad">{t.leaveRejected}</span>}
      {mark && <span class={`badge ${TONES[mark]}`}>{common[mark]}</span>}
      {isSubstituted && lesson.status !== 'cancelled' && <span class="badge">{t.substitute}</span>}
    </>
  );
};

const Notes = ({ childLesson: { lesson, leave, makesUpFor, charged } }: { childLesson: ChildLesson }) => (
  <>
    {lesson.status === 'cancelled' && (
      <p class="small">
        {[
          lesson.cancel_reason,
          charged !== undefined && (charged === 0 ? t.costsNothing : t.costs(hours(String(charged)))),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    )}
    {leave?.decision_reason != null && <p class="small">{common.labelled(t.decision, leave.decision_reason)}</p>}
    {makesUpFor && (
      <p class="small muted">{t.makeUpFor(t.bracketed(makesUpFor.clazz_name, day(makesUpFor.lesson_starts_at)))}</p>
    )}
    {leave?.make_up?.lesson_starts_at && (
      <p class="small muted">{t.madeUpOn(dayTime(leave.make_up.lesson_starts_at))}</p>
    )}
    {lesson.topic !== null && lesson.status !== 'cancelled' && <p class="small">{t.topic(lesson.topic)}</p>}
    {lesson.homework !== null && lesson.status !== 'cancelled' && (
      <details class="homework small">
        <summary>{t.homework}</summary>
        <p>{lesson.homework}</p>
      </details>
    )}
  </>
);

/** One lesson of one child: time, class, teacher, room, mark and possible actions. */
export const LessonRow = ({
  childLesson,
  isNamed,
}: {
  childLesson: ChildLesson;
  /** Whether to show the child's name, because lessons of several children are listed together. */
  isNamed: boolean;
}) => {
  const { child, lesson, leave, makesUpFor } = childLesson;
  const [dialog, setDialog] = useOpenState<'leave' | 'withdraw' | 'undo' | 'makeUp' | undefined>(
    `lesson ${lesson.id} ${child.id}`,
    undefined,
  );
  const actions = lessonActionsOf(childLesson, now.value);
  const isCancelled = lesson.status === 'cancelled';
  const isOnLeave = leave?.status === 'approved';
  return (
    <li class={`lesson${isCancelled ? ' off' : ''}${isOnLeave ? ' away' : ''}`}>
      <div class="when number">
        <strong>{time(lesson.starts_at)}</strong>
        <span class="visually-hidden">–</span>
        <span class="muted small">{time(lesson.ends_at)}</span>
      </div>
      <div class="what">
        {isNamed && <p class="child small">{child.name}</p>}
        <h3>
          {isCancelled ? <s>{lesson.clazz_name}</s> : lesson.clazz_name} <Badges childLesson={childLesson} />
        </h3>
        <p class="muted small pieces">
          {[lesson.teacher_name, lesson.room].map((text) => text !== null && <span key={text}>{text}</span>)}
        </p>
        <Notes childLesson={childLesson} />
      </div>
      {/* With keys a new button never takes over the focus of the one that it replaces. */}
      <div class="acts">
        {actions.canChooseMakeUp && (
          <button key="make-up" type="button" class="button main" onClick={() => setDialog('makeUp')}>
            {t.chooseMakeUp}
          </button>
        )}
        {actions.canRequestLeave && (
          <button
            key="request"
            type="button"
            class="button quiet ask"
            aria-label={common.labelled(
              t.requestLeave,
              t.pair(lesson.clazz_name, `${day(lesson.starts_at)} ${times(lesson.starts_at, lesson.ends_at)}`),
            )}
            onClick={() => setDialog('leave')}
          >
            {t.requestLeave}
          </button>
        )}
        {actions.canWithdrawLeave && (
          <button key="withdraw" type="button" class="button quiet" onClick={() => setDialog('withdraw')}>
            {t.withdrawLeave}
          </button>
        )}
        {actions.canUndoMakeUp && makesUpFor && (
          <button key="undo" type="button" class="button quiet" onClick={() => setDialog('undo')}>
            {t.undoMakeUp}
          </button>
        )}
      </div>
      {dialog === 'leave' && (
        <LeaveDialog
          child={child}
          lesson={lesson}
          onClose={() => setDialog(undefined)}
          onMayMakeUp={() => setDialog('makeUp')}
        />
      )}
      {dialog === 'withdraw' && leave && (
        <WithdrawDialog child={child} leave={leave} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'undo' && makesUpFor && (
        <UndoMakeUpDialog child={child} leave={makesUpFor} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'makeUp' && leave && (
        <MakeUpDialog child={child} leave={leave} onClose={() => setDialog(undefined)} />
      )}
    </li>
  );
};
