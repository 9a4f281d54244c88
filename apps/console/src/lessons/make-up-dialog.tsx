import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { common } from '../shared/common-texts.ts';
import { day, dayTime, hours, lastMomentBefore, times } from '../shared/format.ts';
import { ListView } from '../shared/parts/list-view.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Empty, Failure } from '../shared/parts/message.tsx';
import { toast } from '../shared/parts/toasts.tsx';
import { useRows } from '../shared/row-query.ts';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { refreshLeave } from '../shared/refresh-leave.ts';
import { undoMakeUp } from './leave-actions.ts';
import { type Child, chosenChild } from './child.rules.ts';
import type { Leave } from './lesson-days.rules.ts';
import { t } from './family-texts.ts';

/** Lists the lessons that can be used as make-up, the best match first. One tap books a lesson. */
export const MakeUpDialog = ({ child, leave, onClose }: { child: Child; leave: Leave; onClose: () => void }) => {
  const options = useRows(
    `make-up ${leave.id}`,
    (cursor, signal) =>
      api.listMakeUpOptions({ path: { id: leave.id }, query: { ...chosenChild(child), cursor } }, { signal }),
    {
      kinds: ['leave', 'lesson', 'enrolment'],
      // A used credit has no options.
      isAbout: ({ kind, ids }) => kind !== 'leave' || !ids.includes(leave.id),
    },
  );
  const [error, setError] = useState<unknown>();
  const book = async (lesson_id: string, starts_at: string): Promise<void> => {
    setError(undefined);
    try {
      await api.bookMakeUp({ path: { id: leave.id }, body: { lesson_id, ...chosenChild(child) } });
      toast(t.booked(dayTime(starts_at)), { label: common.undo, run: () => undoMakeUp(child, leave) }, leave.id);
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      refreshLeave();
    }
  };
  return (
    <Dialog title={t.makeUpTitle} onClose={onClose}>
      <div class="body">
        <div>
          <p>{t.makeUpFor(t.bracketed(leave.clazz_name, day(leave.lesson_starts_at)))}</p>
          <p class="muted">
            {[
              !child.isSelf && t.forChild(child.name),
              leave.make_up && t.goodUntil(day(lastMomentBefore(leave.make_up.expires_at))),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </div>
        {error !== undefined && <Failure error={error} />}
        <ListView query={options} rows={6} as="options" empty={<Empty title={t.noOptions}>{t.noOptionsWhy}</Empty>}>
          {(option) => (
            <li key={option.id}>
              <div>
                <p>
                  <strong>{day(option.starts_at)}</strong>{' '}
                  <span class="number">{times(option.starts_at, option.ends_at)}</span>
                </p>
                <p>
                  {option.clazz_name}{' '}
                  <span class={`badge ${option.same_course ? 'good' : ''}`}>
                    {option.same_course ? t.sameCourse : t.otherCourse}
                  </span>
                </p>
                <p class="muted small">
                  {[
                    option.teacher_name,
                    option.room,
                    option.free !== null && t.freeSeats(option.free),
                    t.makeUpCost(hours(option.charge_hours)),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </p>
              </div>
              <ActionButton
                kind="main"
                label={t.bookOn(t.pair(option.clazz_name, dayTime(option.starts_at)))}
                run={() => book(option.id, option.starts_at)}
              >
                {t.book}
              </ActionButton>
            </li>
          )}
        </ListView>
      </div>
    </Dialog>
  );
};
