import { day, times } from '../shared/format.ts';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import type { Child } from './child.rules.ts';
import { withdrawLeave } from './leave-actions.ts';
import type { Leave } from './lesson-days.rules.ts';
import { t } from './family-texts.ts';

/** Asks before leave is withdrawn: leave that is requested again may be late, or need a new decision. */
export const WithdrawDialog = ({ child, leave, onClose }: { child: Child; leave: Leave; onClose: () => void }) => (
  <Dialog
    title={t.withdrawTitle}
    onClose={onClose}
    footer={
      <>
        <button type="button" class="button" onClick={onClose}>
          {t.keepLeave}
        </button>
        <ActionButton kind="danger" run={() => withdrawLeave(child, leave).then(onClose)}>
          {t.withdrawLeave}
        </ActionButton>
      </>
    }
  >
    <div class="body">
      <p>
        <strong>{leave.clazz_name}</strong>
      </p>
      <p>{t.pair(day(leave.lesson_starts_at), times(leave.lesson_starts_at, leave.lesson_ends_at))}</p>
      {!child.isSelf && <p class="muted">{t.forChild(child.name)}</p>}
      <p>{t.withdrawAbout}</p>
    </div>
  </Dialog>
);
