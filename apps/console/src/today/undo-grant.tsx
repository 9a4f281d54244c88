import { isProblem } from '@teaching/client/browser';
import type { HourEntry } from '@teaching/contracts';
import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { common } from '../shared/common-texts.ts';
import { hours, money } from '../shared/format.ts';
import type { Lot } from '../shared/hours/hour-entry.rules.ts';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { Message } from '../shared/parts/message.tsx';
import { toast } from '../shared/parts/toasts.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { invalidateKinds } from '../shared/query.ts';
import { t } from './today-texts.ts';

const failureText = (error: unknown): string => (isProblem(error, 'in_use') ? t.grantUsed : remedyOf(error));

const undoGrant = async (lot_id: string): Promise<void> => {
  try {
    await api.undoGrant({ path: { lot_id } });
  } finally {
    invalidateKinds('account');
  }
};

/** The undo of a grant that was just booked, for its toast. */
export const undoNewGrant = async (lot_id: string): Promise<void> => {
  try {
    await undoGrant(lot_id);
    toast(t.grantUndone);
  } catch (error) {
    toast(failureText(error));
  }
};

/** Whether the entry is a grant of which all hours are left. */
export const isUndoable = ({ kind, lot_id }: Pick<HourEntry, 'kind' | 'lot_id'>, lots: readonly Lot[]): boolean =>
  kind === 'grant' && lots.some(({ id, remaining, granted }) => id === lot_id && remaining === granted);

/** Undoes an earlier grant, after a question that names hours and money. */
export const UndoGrant = ({ lot_id, entry }: { lot_id: string; entry: HourEntry }) => {
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>();
  const { amount, price_minor, currency } = entry;
  const undo = (): Promise<void> => {
    setError(undefined);
    return undoGrant(lot_id).catch(setError);
  };
  if (!isAsking)
    return (
      <button type="button" class="button quiet" onClick={() => setAsking(true)}>
        {t.undoGrant}
      </button>
    );
  return (
    <div class="ask">
      <p>
        {price_minor === null || currency === null
          ? t.undoGrantWhat(hours(amount))
          : t.undoSaleWhat(hours(amount), money(price_minor, currency))}
      </p>
      {error !== undefined && <Message tone="bad">{failureText(error)}</Message>}
      <div class="acts">
        <button type="button" class="button quiet" onClick={() => setAsking(false)}>
          {common.cancel}
        </button>
        <ActionButton kind="danger" run={undo}>
          {t.undoGrant}
        </ActionButton>
      </div>
    </div>
  );
};
