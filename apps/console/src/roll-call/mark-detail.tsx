import type { Mark } from '@teaching/contracts';
import { useState } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Message } from '../shared/parts/message.tsx';
import { MarkHistory } from './mark-history.tsx';
import { presentMark, type Row } from './roll-call.rules.ts';
import type { Sheet } from './roll-call.state.ts';
import { t } from './roll-call-texts.ts';
import { markText } from './mark-texts.ts';

const MINUTES = [5, 10, 15, 20, 30];
const choicesOf = (row: Row): Mark[] => {
  const all: Mark[] = [presentMark(row), 'late', 'absent', 'leave', 'trial'];
  return row.mark === null || all.includes(row.mark) ? all : [...all, row.mark];
};

const Minutes = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <div class="field">
    <label class="field">
      <span>{t.lateBy}</span>
      <input
        type="number"
        inputMode="numeric"
        min={1}
        max={1440}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
    <div class="minutes">
      {MINUTES.map((minutes) => (
        <button
          key={minutes}
          type="button"
          class="button"
          aria-pressed={value === String(minutes)}
          onClick={() => onChange(String(minutes))}
        >
          {minutes}
        </button>
      ))}
    </div>
  </div>
);

/** One student's mark in detail: late minutes, a note and the history. */
export const MarkDetail = ({
  row,
  sheet,
  lesson_id,
  onClose,
}: {
  row: Row;
  sheet: Sheet;
  lesson_id: string;
  onClose: () => void;
}) => {
  const [mark, setMark] = useState<Mark | null>(row.mark);
  const [minutes, setMinutes] = useState(String(row.late_minutes ?? ''));
  const [note, setNote] = useState(row.note ?? '');
  // The revision when the dialog opened: a mark that arrives later was not read.
  const [readRevision] = useState(row.saved.revision);
  const save = (event: Event): void => {
    event.preventDefault();
    if (mark === null) return;
    const late = Math.round(Number(minutes));
    const late_minutes = mark === 'late' && late >= 1 ? late : null;
    sheet.mark({ ...row, saved: { ...row.saved, revision: readRevision } }, mark, {
      late_minutes,
      note: note.trim() === '' ? null : note.trim(),
    });
    onClose();
  };
  return (
    <Dialog title={row.student_name ?? row.student_id} onClose={onClose}>
      <form onSubmit={save}>
        <div class="body roll-detail">
          {sheet.closedReason.value !== undefined && <Message tone="warn">{sheet.closedReason.value}</Message>}
          {row.leave !== null && (
            <p>
              {row.leave.status === 'approved' ? t.leaveApproved(row.leave.reason) : t.leavePending(row.leave.reason)}
            </p>
          )}
          <fieldset>
            <legend>{t.mark}</legend>
            <div class="choices">
              {choicesOf(row).map((choice) => (
                <button
                  key={choice}
                  type="button"
                  class="button"
                  aria-pressed={choice === mark}
                  onClick={() => setMark(choice)}
                >
                  {markText(choice)}
                </button>
              ))}
            </div>
          </fieldset>
          {mark === 'late' && <Minutes value={minutes} onChange={setMinutes} />}
          <label class="field">
            <span>{t.note}</span>
            <textarea
              rows={2}
              maxLength={1000}
              value={note}
              onInput={({ currentTarget }) => setNote(currentTarget.value)}
            />
          </label>
          <MarkHistory lesson_id={lesson_id} student_id={row.student_id} />
        </div>
        <footer>
          <button type="button" class="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" class="button main" disabled={mark === null || !sheet.canMark.value}>
            {common.save}
          </button>
        </footer>
      </form>
    </Dialog>
  );
};
