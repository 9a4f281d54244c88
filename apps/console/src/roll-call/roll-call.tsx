import type { RollCallSheet } from '@teaching/contracts';
import { useRoute } from 'preact-iso';
import { Page } from '../frame/page.tsx';
import { common } from '../shared/common-texts.ts';
import * as format from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Empty, Message } from '../shared/parts/message.tsx';
import { hasRole } from '../shared/session.ts';
import { RollCallBar } from './roll-call-bar.tsx';
import { StudentList } from './student-list.tsx';
import { type Sheet, useSheet } from './roll-call.state.ts';
import './roll-call.css';
import { t } from './roll-call-texts.ts';
import { closedText } from './mark-texts.ts';

/** Shows when marks are accepted, and how to correct a closed roll call. */
const PhaseMessage = ({ sheet, roll }: { sheet: Sheet; roll: RollCallSheet }) => {
  const { value } = sheet.phase;
  const closedMessage = closedText(value, roll);
  if (closedMessage === undefined) return null;
  if (value !== 'closed' || !hasRole('SUPERVISOR'))
    return <Message tone={value === 'cancelled' ? 'warn' : 'info'}>{closedMessage}</Message>;
  return (
    <div class="message warn roll-reason">
      <p>{t.closedOffice(format.dayTime(roll.closes_at))}</p>
      <label class="field">
        <span>{t.reason}</span>
        <input
          maxLength={1000}
          value={sheet.reason.value}
          onInput={({ currentTarget }) => sheet.setReason(currentTarget.value)}
        />
      </label>
    </div>
  );
};

const Content = ({ sheet, lesson_id }: { sheet: Sheet; lesson_id: string }) => (
  <QueryView query={sheet.query} rows={12}>
    {(roll) => (
      <>
        <PhaseMessage sheet={sheet} roll={roll} />
        {sheet.query.storedAt.value !== null && !sheet.query.isBusy.value && (
          <p class="muted small">{t.keptSince(format.dayTime(sheet.query.storedAt.value))}</p>
        )}
        {roll.marks.length === 0 ? (
          <Empty title={t.noStudents}>{t.noStudentsWhy}</Empty>
        ) : (
          <>
            <RollCallBar sheet={sheet} lesson_id={lesson_id} />
            <StudentList sheet={sheet} lesson_id={lesson_id} />
          </>
        )}
        <p class="visually-hidden" role="status">
          {sheet.announcement.value}
        </p>
      </>
    )}
  </QueryView>
);

const RollCall = () => {
  const lesson_id = useRoute().params['lesson_id'] ?? '';
  const sheet = useSheet(lesson_id);
  const lesson = sheet.query.data.value?.lesson;
  const details = lesson && [
    `${format.day(lesson.starts_at)}, ${format.times(lesson.starts_at, lesson.ends_at)}`,
    ...(lesson.room === null ? [] : [lesson.room]),
  ];
  return (
    <Page
      title={lesson === undefined ? t.title : `${t.title}: ${lesson.clazz_name}`}
      subtitle={
        details === undefined
          ? '\u00a0'
          : `${details.join(' · ')}${lesson?.status === 'cancelled' ? ` · ${common.cancelled}` : ''}`
      }
      back={hasRole('TEACHER') ? { href: '/week', label: t.toWeek } : { href: '/today', label: t.toToday }}
    >
      <Content key={lesson_id} sheet={sheet} lesson_id={lesson_id} />
    </Page>
  );
};
export default RollCall;
