import { api } from '../shared/api.ts';
import { day, lastMomentBefore } from '../shared/format.ts';
import { refreshLeave } from '../shared/refresh-leave.ts';
import { remedyOf } from '../shared/problem-texts.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { type Child, chosenChild } from './child.rules.ts';
import type { Leave } from './lesson-days.rules.ts';
import { t } from './family-texts.ts';

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
