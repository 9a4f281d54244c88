import type { Mark } from '@teaching/contracts';
import { ApiError } from '@teaching/client/browser';
import { common } from '../shared/common-texts.ts';
import * as format from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { isPresent, type Row } from './roll-call.rules.ts';
import type { Sheet } from './roll-call.state.ts';
import { t } from './roll-call-texts.ts';
import { markTextWithMinutes, markText } from './mark-texts.ts';

const CHOICES = ['present', 'late', 'absent', 'leave'] as const;
const choiceLetters = () => ({ present: t.p, late: t.l, absent: t.a, leave: t.e });

/** The buttons P L A E; at most one is pressed. */
const Choices = ({ row, name, sheet }: { row: Row; name: string; sheet: Sheet }) => {
  const letters = choiceLetters();
  const isPressed = (mark: Mark): boolean => (mark === 'present' ? isPresent(row.mark) : row.mark === mark);
  return (
    <div class="marks" role="group" aria-label={t.marksOf(name)}>
      {CHOICES.map((mark) => (
        <button
          key={mark}
          type="button"
          class={`mark ${mark}`}
          aria-pressed={isPressed(mark)}
          aria-disabled={!sheet.canMark.value}
          aria-label={markText(mark)}
          title={markText(mark)}
          onClick={() => sheet.mark(row, mark)}
        >
          {letters[mark]}
        </button>
      ))}
    </div>
  );
};

const problemOf = (code: string): ApiError =>
  new ApiError(new Response(null, { status: 409 }), JSON.stringify({ code }));

/** Why the mark was refused, and the buttons to resolve it. */
const RefusalMessage = ({ row, sheet }: { row: Row; sheet: Sheet }) => {
  if (row.progress !== 'refused' || row.code === null) return null;
  const ownMark = markTextWithMinutes(row.mark, row.late_minutes);
  const { saved } = row;
  if (row.mark === null) {
    const isOver = row.code === 'forbidden' || row.code === 'invalid_request';
    const why = isOver ? t.undoOver : remedyOf(problemOf(row.code));
    return (
      <div class="trouble" role="alert">
        <p>{t.notWithdrawn(markTextWithMinutes(saved.mark, saved.late_minutes), why)}</p>
        <div class="acts">
          <button type="button" class="button" onClick={() => sheet.discard(row)}>
            {t.keepTheirs}
          </button>
        </div>
      </div>
    );
  }
  const isContested = row.code === 'mark_changed';
  return (
    <div class="trouble" role="alert">
      <p>
        {isContested
          ? t.contested(
              saved.marked_by_name ?? common.notListed,
              markTextWithMinutes(saved.mark, saved.late_minutes),
              format.time(saved.marked_at ?? Date.now()),
            )
          : `${t.refusedAs(ownMark)} ${remedyOf(problemOf(row.code))}`}
        {isContested && <strong> {ownMark}</strong>}
      </p>
      <div class="acts">
        <button type="button" class="button" onClick={() => sheet.discard(row)}>
          {isContested ? t.keepTheirs : t.discard}
        </button>
        <button type="button" class="button main" onClick={() => sheet.keepOwnMark(row)}>
          {isContested ? t.keepMine(ownMark) : t.retry}
        </button>
      </div>
    </div>
  );
};

/** Figures that change with each mark. They keep their line, so that rows do not move while a teacher taps. */
const Counts = ({ row: { hours_left, attended } }: { row: Row }) => {
  const hours = hours_left === null ? null : Number(hours_left);
  return (
    <div class="about counts">
      {hours !== null && (
        <span class={hours < 1 ? 'low' : undefined}>
          {hours < 0 ? t.debt(format.hours(String(-hours))) : t.left(format.hours(String(hours)))}
        </span>
      )}
      {attended.of === 0 ? (
        <span>
          <span class="long">{t.firstLesson}</span>
          <span class="short" aria-hidden="true">
            {t.first}
          </span>
        </span>
      ) : (
        <span>
          <span class="long">{t.attended(attended.present, attended.of)}</span>
          <span class="short" aria-hidden="true">
            <Icon name="check" size={12} /> {attended.present}/{attended.of}
          </span>
        </span>
      )}
    </div>
  );
};

/** Facts to know before marking, and details that the letter of the mark does not show. */
const About = ({ row }: { row: Row }) => {
  const { leave, note } = row;
  const hasNote = note !== null && note !== '';
  if (!row.make_up && row.mark !== 'trial' && row.late_minutes === null && leave === null && !hasNote) return null;
  return (
    <div class="about">
      {row.make_up && <span class="badge info">{t.guest}</span>}
      {row.mark === 'trial' && <span class="badge accent">{common.trial}</span>}
      {row.late_minutes !== null && <span class="badge warn">{t.minutes(row.late_minutes)}</span>}
      {leave !== null && (
        <span class={leave.status === 'approved' ? 'badge info' : 'badge warn'} title={leave.reason}>
          <span class="cut">
            {leave.status === 'approved' ? t.leaveApproved(leave.reason) : t.leavePending(leave.reason)}
          </span>
        </span>
      )}
      {hasNote && (
        <span class="note">
          <Icon name="note" size={14} /> <span class="cut">{note}</span>
        </span>
      )}
    </div>
  );
};

/** Whether the mark is saved. Its space is reserved while there is no mark. */
const Progress = ({ row }: { row: Row }) => {
  if (row.progress === 'waiting')
    return (
      <span class="progress pending" title={t.rowWaiting}>
        <Icon name="today" size={14} />
        <span class="visually-hidden">{t.rowWaiting}</span>
      </span>
    );
  if (row.progress !== 'saved' || row.revision === 0 || row.mark === null) return <span class="progress" />;
  return (
    <span class="progress kept" title={t.rowSaved}>
      <Icon name="check" size={14} />
      <span class="visually-hidden">{t.rowSaved}</span>
    </span>
  );
};

interface StudentRowProps {
  row: Row;
  sheet: Sheet;
  isCurrent: boolean;
  onOpen: () => void;
}

/** One student: name, facts, mark and whether it is saved. */
export const StudentRow = ({ row, sheet, isCurrent, onOpen }: StudentRowProps) => {
  const name = row.student_name ?? row.student_id;
  return (
    <li
      class={`student ${row.mark ?? 'unmarked'} ${row.progress}`}
      data-student={row.student_id}
      tabIndex={isCurrent ? 0 : -1}
      aria-label={t.markAnnouncement(name, markTextWithMinutes(row.mark, row.late_minutes))}
    >
      <button type="button" class="who" aria-haspopup="dialog" title={t.detail} onClick={onOpen}>
        <span class="name">
          {name}
          <Progress row={row} />
        </span>
        <About row={row} />
        <Counts row={row} />
      </button>
      <Choices row={row} name={name} sheet={sheet} />
      <RefusalMessage row={row} sheet={sheet} />
    </li>
  );
};
