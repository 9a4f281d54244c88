import { api } from '../shared/api.ts';
import { invalidateKinds } from '../shared/query.ts';
import { remedyOf } from '../shared/problem-texts.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { type Child, chosenChild } from './child.rules.ts';
import type { Leave } from './lesson-days.rules.ts';
import { t } from './family-texts.ts';

/** Requests again all data that leave and make-up bookings change. */
export const refreshLeave = (): void => invalidateKinds('leave', 'lesson', 'roll_call', 'account');

const runWithToast = async (action: () => Promise<unknown>, successText: string): Promise<void> => {
  try {
    await action();
    toast(successText);
  } catch (error) {
    toast(remedyOf(error));
  } finally {
    refreshLeave();
  }
};

export const withdrawLeave = (child: Child, { id }: Pick<Leave, 'id'>): Promise<void> =>
  runWithToast(() => api.cancelLeave({ path: { id }, body: chosenChild(child) }), t.leaveWithdrawn);

export const undoMakeUp = (child: Child, { id }: Pick<Leave, 'id'>): Promise<void> =>
  runWithToast(() => api.undoMakeUp({ path: { id }, body: chosenChild(child) }), t.undidMakeUp);
