import type { Mark } from '@teaching/contracts';
import { useState } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { useDraft } from '../shared/draft.ts';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Message } from '../shared/parts/message.tsx';
import { RestoredDraft } from '../shared/parts/restored-draft.tsx';
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

/** Revisions begin with 0. */
const NOT_READ = -1;

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
  // The revision when the dialog opened: a mark that arrives later was not read.
  const [firstRevision] = useState(row.saved.revision);
  const draft = useDraft(`mark ${lesson_id} ${row.student_id}`, {
    mark: row.mark,
    minutes: String(row.late_minutes ?? ''),
    note: row.note ?? '',
    revision: NOT_READ,
  });
  const { mark, minutes, note } = draft.values;
  const revision = draft.values.revision === NOT_READ ? firstRevision : draft.values.revision;
  const cancel = (): void => {
    draft.clear();
    onClose();
  };
  const save = (event: Event): void => {
    event.preventDefault();
    if (mark === null) return;
    const late = Math.round(Number(minutes));
    const late_minutes = mark === 'late' && late >= 1 ? late : null;
    sheet.mark({ ...row, saved: { ...row.saved, revision } }, mark, {
      late_minutes,
      note: note.trim() === '' ? null : note.trim(),
    });
    draft.clear();
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
          <RestoredDraft draft={draft} />
          <fieldset disabled={!sheet.canMark.value}>
            <legend>{t.mark}</legend>
            <div class="choices">
              {choicesOf(row).map((choice) => (
                <button
                  key={choice}
                  type="button"
                  class="button"
                  aria-pressed={choice === mark}
                  onClick={() => draft.put({ mark: choice, revision })}
                >
                  {markText(choice)}
                </button>
              ))}
            </div>
          </fieldset>
          {mark === 'late' && <Minutes value={minutes} onChange={(late) => draft.put({ minutes: late, revision })} />}
          <label class="field">
            <span>{t.note}</span>
            <textarea
              rows={2}
              maxLength={1000}
              value={note}
              readOnly={!sheet.canMark.value}
              onInput={({ currentTarget }) => draft.put({ note: currentTarget.value, revision })}
            />
          </label>
          <MarkHistory lesson_id={lesson_id} student_id={row.student_id} />
        </div>
        <footer>
          <button type="button" class="button" onClick={cancel}>
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
