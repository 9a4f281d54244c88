import { api } from '../shared/api.ts';
import { changed } from '../shared/query.ts';
import { remedyOf } from '../shared/problem-texts.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { type Child, chosenChild } from './child.rules.ts';
import type { Leave } from './lesson-days.rules.ts';
import { t } from './family-texts.ts';

/** What leave and making up for it change. */
export const refreshLeave = (): void => changed('leave', 'lesson', 'roll_call', 'account');

const told = async (work: () => Promise<unknown>, done: string): Promise<void> => {
  try {
    await work();
    toast(done);
  } catch (error) {
    toast(remedyOf(error));
  } finally {
    refreshLeave();
  }
};

export const withdrawLeave = (child: Child, { id }: Pick<Leave, 'id'>): Promise<void> =>
  told(() => api.cancelLeave({ path: { id }, body: chosenChild(child) }), t.tookBack);

export const undoMakeUp = (child: Child, { id }: Pick<Leave, 'id'>): Promise<void> =>
  told(() => api.undoMakeUp({ path: { id }, body: chosenChild(child) }), t.undidMakeUp);
