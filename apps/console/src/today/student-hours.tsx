import { Balance } from '../shared/hours/balance.tsx';
import { HourHistory } from '../shared/hours/hour-history.tsx';
import { useAccount } from '../shared/hours/hours.state.ts';
import { t as hoursText } from '../shared/hours/hours-texts.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { GrantForm } from './grant-form.tsx';
import { t } from './today-texts.ts';
import { isUndoable, UndoGrant } from './undo-grant.tsx';

interface StudentHoursProps {
  student_id: string;
  name: string;
  onDone: () => void;
}

/** The rows of the history that are shown at first, so that the form below them stays near. */
const HISTORY_ROWS = '4';

/** The hour account of a student with its history, and a form to grant hours. */
export const StudentHours = ({ student_id, name, onDone }: StudentHoursProps) => {
  const account = useAccount(student_id);
  return (
    <>
      <div class="body">
        <QueryView query={account} rows={5}>
          {({ balance, lots }) => <Balance balance={balance} lots={lots} noLotsWhy={t.noLotsWhy} />}
        </QueryView>
        <section class="card history">
          <header>
            <h3>{hoursText.history}</h3>
          </header>
          <HourHistory
            student_id={student_id}
            limit={HISTORY_ROWS}
            actsOf={(entry) =>
              entry.lot_id !== null &&
              isUndoable(entry, account.data.value?.lots ?? []) && <UndoGrant lot_id={entry.lot_id} entry={entry} />
            }
          />
        </section>
      </div>
      <GrantForm student_id={student_id} name={name} account={account.data.value} onGranted={onDone} />
    </>
  );
};
