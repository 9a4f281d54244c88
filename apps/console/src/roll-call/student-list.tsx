import { useEffect, useRef, useState } from 'preact/hooks';
import { useOpenState } from '../shared/open-state.ts';
import { MarkDetail } from './mark-detail.tsx';
import { rowActionOf } from './roll-call.rules.ts';
import type { Sheet } from './roll-call.state.ts';
import { StudentRow } from './student-row.tsx';
import { t } from './roll-call-texts.ts';

const studentAt = (target: EventTarget | null): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-student]')?.dataset['student'] : undefined;

/** Elements that use letters and arrow keys themselves. */
const LETTER_KEY_USERS = 'input, select, textarea, [contenteditable]';

/**
 * The students. One row is in the tab order; arrow keys move to the others. The keys apply to this row also while no
 * row has the focus.
 */
export const StudentList = ({ sheet, lesson_id }: { sheet: Sheet; lesson_id: string }) => {
  const rows = sheet.rows.value;
  const list = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState<string>();
  const [opened, setOpened] = useOpenState<string | undefined>(`mark ${lesson_id}`, undefined);
  const at = Math.max(
    0,
    rows.findIndex((row) => row.student_id === current),
  );
  const goTo = (index: number): void => {
    const to = list.current?.children[Math.min(rows.length - 1, Math.max(0, index))];
    if (!(to instanceof HTMLElement)) return;
    to.focus();
    to.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest(LETTER_KEY_USERS) !== null) return;
    if (document.querySelector('dialog[open]') !== null) return;
    // Reads the focused row from the event: another key may arrive before the page is drawn.
    const id = studentAt(event.target) ?? rows[at]?.student_id;
    const index = sheet.rows.value.findIndex(({ student_id }) => student_id === id);
    const row = sheet.rows.value[index];
    const action = rowActionOf(event.key);
    if (action === undefined || row === undefined) return;
    event.preventDefault();
    if (action === 'note') setOpened(row.student_id);
    else if (action === 'undo') sheet.undo();
    else if ('move' in action) goTo(index + action.move);
    else {
      sheet.mark(row, action.mark);
      goTo(index + 1);
    }
  };
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
  const detailed = rows.find((row) => row.student_id === opened);
  return (
    <>
      <ul
        class="students card"
        ref={list}
        aria-label={t.sheet}
        aria-describedby="roll-keys"
        onFocusIn={({ target }) => {
          const id = studentAt(target);
          if (id !== undefined) setCurrent(id);
        }}
      >
        {rows.map((row, index) => (
          <StudentRow
            key={row.student_id}
            row={row}
            sheet={sheet}
            isCurrent={index === at}
            onOpen={() => setOpened(row.student_id)}
          />
        ))}
      </ul>
      <p id="roll-keys" class="muted small roll-keys" hidden={!sheet.canTakeRollCall.value}>
        {t.keys}
      </p>
      {detailed && (
        <MarkDetail
          key={detailed.student_id}
          row={detailed}
          sheet={sheet}
          lesson_id={lesson_id}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
};
