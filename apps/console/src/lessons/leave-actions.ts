import { api } from '../shared/api.ts';
import { day, lastMomentBefore } from '../shared/format.ts';
import { refreshLeave } from '../shared/refresh-leave.ts';
import { remedyOf } from '../shared/problem-texts.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { type Child, chosenChild } from './child.rules.ts';
import type { Leave } from './lesson-days.rules.ts';
import { t } from './family-texts.ts';

const runWithToast = async <T>(
  { id }: Pick<Leave, 'id'>,
  action: () => Promise<T>,
  successText: (result: T) => string,
): Promise<void> => {
  try {
    toast(successText(await action()), undefined, id);
  } catch (error) {
    toast(remedyOf(error), undefined, id);
  } finally {
    refreshLeave();
  }
};

export const withdrawLeave = (child: Child, leave: Pick<Leave, 'id'>): Promise<void> =>
  runWithToast(
    leave,
    () => api.cancelLeave({ path: { id: leave.id }, body: chosenChild(child) }),
    () => t.leaveWithdrawn,
  );

export const undoMakeUp = (child: Child, leave: Pick<Leave, 'id'>): Promise<void> =>
  runWithToast(
    leave,
    () => api.undoMakeUp({ path: { id: leave.id }, body: chosenChild(child) }),
    ({ data: { make_up } }) =>
      make_up?.status === 'available' ? t.undidMakeUp(day(lastMomentBefore(make_up.expires_at))) : t.undidLastMakeUp,
  );
