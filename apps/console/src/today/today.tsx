import { Page } from '../frame/page.tsx';
import { now } from '../shared/clock.ts';
import { localLongDay } from '../shared/format.ts';
import { useOpenState } from '../shared/open-state.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Icon } from '../shared/parts/icon.tsx';
import { Empty, Skeleton } from '../shared/parts/message.tsx';
import { ClashList } from './clash-list.tsx';
import { FindStudent } from './find-student.tsx';
import { DateBar } from './date-bar.tsx';
import { ExpiringHoursList, LowHoursList } from './hour-lists.tsx';
import { LeaveList, undecidedLeaves } from './leave-list.tsx';
import { NowAndNext, RestOfDay, WholeDay } from './day-lessons.tsx';
import { overdueRollCalls, RollCallList } from './roll-call-list.tsx';
import { StudentDialog } from './student-dialog.tsx';
import { Summary } from './summary.tsx';
import { t } from './today-texts.ts';
import { type Today as TodayQueries, useDayChoice, useToday } from './today.state.ts';
import { useAllLoaded } from '../shared/use-all-loaded.ts';
import './today.css';

/** Whether all lists have arrived and are empty. */
const isAllEmpty = ({ rollCalls, leave, lowOnHours, expiring, clashes }: TodayQueries): boolean =>
  [
    leave.data.value && undecidedLeaves(leave.data.value.items),
    rollCalls.data.value?.next_cursor === null ? overdueRollCalls(rollCalls.data.value.items) : undefined,
    ...[clashes, lowOnHours, expiring].map((of) => of.data.value?.items),
  ].every((rows) => rows?.length === 0);

const Today = () => {
  const chosen = useDayChoice();
  const today = useToday(chosen);
  const [open, setOpen] = useOpenState<string | null>('student', null);
  const [isFinding, setFinding] = useOpenState('find student', false);
  const openFound = (student_id: string): void => {
    setFinding(false);
    setOpen(student_id);
  };
  const isShown = useAllLoaded(Object.values(today));
  const { isToday, date } = chosen;
  const at = now.value;
  return (
    <Page
      title={isToday ? t.today : localLongDay(date)}
      subtitle={isToday ? localLongDay(date) : undefined}
      actions={
        <div class="today-actions">
          <button type="button" class="button no-print" aria-haspopup="dialog" onClick={() => setFinding(true)}>
            <Icon name="people" />
            {t.findStudent}
          </button>
          <DateBar chosen={chosen} />
        </div>
      }
    >
      <Summary today={today} />
      {isShown ? (
        <div class={isToday ? 'today' : 'today other'}>
          <div class="around">
            <QueryView query={today.lessons} rows={4}>
              {({ items }) =>
                isToday ? (
                  <NowAndNext date={date} lessons={items} now={at} />
                ) : (
                  <WholeDay date={date} lessons={items} now={at} />
                )
              }
            </QueryView>
          </div>
          {chosen.leave === 'pending' && isAllEmpty(today) ? (
            <div class="waits-column">
              <div class="card">
                <Empty title={t.nothing}>
                  <span>{t.nothingWhy}</span>
                  <button type="button" class="button" onClick={() => chosen.chooseLeave('approved')}>
                    {t.showApproved}
                  </button>
                  <span class="sign">
                    <Icon name="check" size={28} />
                  </span>
                </Empty>
              </div>
            </div>
          ) : (
            <>
              <div class="waits-column">
                <LeaveList query={today.leave} chosen={chosen} />
                <RollCallList query={today.rollCalls} />
                <ClashList query={today.clashes} chosen={chosen} />
              </div>
              <div class="hours">
                <LowHoursList query={today.lowOnHours} chosen={chosen} open={setOpen} />
                <ExpiringHoursList query={today.expiring} chosen={chosen} open={setOpen} />
              </div>
            </>
          )}
          {isToday && today.lessons.data.value !== undefined && (
            <div class="rest">
              <RestOfDay lessons={today.lessons.data.value.items} now={at} />
            </div>
          )}
        </div>
      ) : (
        <div class="today other" aria-busy="true">
          {['around', 'waits-column'].map((where) => (
            <div key={where} class={where}>
              <div class="card">
                <Skeleton rows={9} />
              </div>
            </div>
          ))}
        </div>
      )}
      {isFinding && <FindStudent open={openFound} onClose={() => setFinding(false)} />}
      {open !== null && <StudentDialog key={open} student_id={open} onClose={() => setOpen(null)} />}
    </Page>
  );
};
export default Today;
