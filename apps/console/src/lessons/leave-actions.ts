import { api } from '../shared/api.ts';
import { day, lastMomentBefore } from '../shared/format.ts';
import { invalidateKinds } from '../shared/query.ts';
import { remedyOf } from '../shared/problem-texts.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { type Child, chosenChild } from './child.rules.ts';
import type { Leave } from './lesson-days.rules.ts';
import { t } from './family-texts.ts';

/** Requests again all data that leave and make-up bookings change. */
export const refreshLeave = (): void => invalidateKinds('leave', 'lesson', 'roll_call', 'account');

const runWithToast = async <T>(action: () => Promise<T>, successText: (result: T) => string): Promise<void> => {
  try {
    toast(successText(await action()));
  } catch (error) {
    toast(remedyOf(error));
  } finally {
    refreshLeave();
  }
};

export const withdrawLeave = (child: Child, { id }: Pick<Leave, 'id'>): Promise<void> =>
  runWithToast(
    () => api.cancelLeave({ path: { id }, body: chosenChild(child) }),
    () => t.leaveWithdrawn,
  );

export const undoMakeUp = (child: Child, { id }: Pick<Leave, 'id'>): Promise<void> =>
  runWithToast(
    () => api.undoMakeUp({ path: { id }, body: chosenChild(child) }),
    ({ data: { make_up } }) =>
      make_up?.status === 'available' ? t.undidMakeUp(day(lastMomentBefore(make_up.expires_at))) : t.undidLastMakeUp,
  );
