import { Icon } from '../shared/parts/icon.tsx';
import { connection } from '../shared/connection.ts';
import { common } from '../shared/common-texts.ts';
import { countsOf } from './queue/queue.rules.ts';
import { queueOf } from './queue/sender.ts';
import { allExcused, allPresent, TOTALS, totalsOf } from './roll-call.rules.ts';
import type { Sheet } from './roll-call.state.ts';
import { t } from './roll-call-texts.ts';

/** The number of marks that wait, and for what. */
const waitingText = (waiting: number): string => {
  switch (connection.value) {
    case 'ok':
      return t.waiting(waiting);
    case 'no-server':
      return t.waitingForServer(waiting);
    case 'no-network':
      return t.waitingForNetwork(waiting);
    default:
      return connection.value satisfies never;
  }
};

interface ProgressProps {
  lesson_id: string;
  isBegun: boolean;
  isTakeable: boolean;
}

const Progress = ({ lesson_id, isBegun, isTakeable }: ProgressProps) => {
  const { waiting, refused } = countsOf(queueOf(lesson_id));
  if (waiting === 0 && refused === 0)
    return (
      isTakeable && (
        <span class="progress saved">
          {isBegun && <Icon name="check" size={16} />} {isBegun ? t.saved : t.nothingYet}
        </span>
      )
    );
  return (
    <span class="progress">
      {waiting > 0 && (
        <span class="badge warn">
          <Icon name={connection.value === 'ok' ? 'today' : 'offline'} size={14} /> {waitingText(waiting)}
        </span>
      )}
      {refused > 0 && (
        <span class="badge bad">
          <Icon name="warning" size={14} /> {t.refused(refused)}
        </span>
      )}
    </span>
  );
};

/** The totals, the state of saving and the button for all; always visible. */
export const RollCallBar = ({ sheet, lesson_id }: { sheet: Sheet; lesson_id: string }) => {
  const rows = sheet.rows.value;
  const totals = totalsOf(rows);
  const unmarkedCount = allPresent(rows, null).length;
  const excusedCount = allExcused(rows, null).length;
  const totalTexts = {
    present: common.present,
    late: common.late,
    absent: common.absent,
    leave: t.excused,
    unmarked: common.unmarked,
  };
  const isBegun = rows.some(({ saved }) => saved.revision > 0);
  return (
    <div class="roll-bar">
      <dl class="totals">
        {TOTALS.map((total) => (
          <div key={total} class={`${total} ${totals[total] === 0 ? 'none' : ''}`}>
            <dt>{totalTexts[total]}</dt>
            <dd class="number">{totals[total]}</dd>
          </div>
        ))}
      </dl>
      <div class="acts">
        <div role="status">
          <Progress lesson_id={lesson_id} isBegun={isBegun} isTakeable={sheet.canTakeRollCall.value} />
        </div>
        {sheet.canTakeRollCall.value && (
          <>
            <button
              type="button"
              class="button icon"
              aria-label={t.undo}
              title={t.undo}
              disabled={!sheet.canUndo.value}
              onClick={sheet.undo}
            >
              <Icon name="undo" />
            </button>
            <button
              type="button"
              class="button main"
              disabled={(unmarkedCount === 0 && excusedCount === 0) || !sheet.canMark.value}
              onClick={sheet.markOthers}
            >
              <Icon name="check" />
              {excusedCount > 0
                ? t.allExcused(excusedCount)
                : unmarkedCount === 0 && totals.unmarked === 0
                  ? t.complete
                  : t.allHere(unmarkedCount)}
            </button>
          </>
        )}
      </div>
    </div>
  );
};
