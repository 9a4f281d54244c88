import { isProblem } from '@teaching/client/browser';
import { useRoute } from 'preact-iso';
import { Page } from '../frame/page.tsx';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import * as format from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Empty, Message } from '../shared/parts/message.tsx';
import { hasRole } from '../shared/session.ts';
import { RollCallBar } from './roll-call-bar.tsx';
import { StudentList } from './student-list.tsx';
import { type RollCall, substitutedLead } from './roll-call.rules.ts';
import { type Sheet, useSheet } from './roll-call.state.ts';
import './roll-call.css';
import { t } from './roll-call-texts.ts';
import { closedText } from './mark-texts.ts';

/** Shows when marks are accepted, and how to correct a closed roll call. */
const PhaseMessage = ({ sheet, roll }: { sheet: Sheet; roll: RollCall }) => {
  const { value } = sheet.phase;
  if (value === 'open' && now.value < Date.parse(roll.lesson.starts_at))
    return <Message>{t.chargedEarly(format.time(roll.lesson.starts_at))}</Message>;
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

/** Time, room, substitute and cancellation of the lesson, in one line. */
const detailsOf = (roll: RollCall): string => {
  const { lesson } = roll;
  const lead = substitutedLead(roll);
  return [
    t.dayAndTimes(format.day(lesson.starts_at), format.times(lesson.starts_at, lesson.ends_at)),
    ...(lesson.room === null ? [] : [lesson.room]),
    ...(lead === undefined ? [] : [t.substitute(lesson.teacher_name ?? common.notListed, lead ?? common.notListed)]),
    ...(lesson.status === 'cancelled' ? [common.cancelled] : []),
  ].join(' · ');
};

/** Leads back to the week from which the roll call was opened, else to the current one. */
const backLink = (week: string | undefined): { href: string; label: string } =>
  hasRole('TEACHER')
    ? { href: week === undefined ? '/week' : `/week?date=${encodeURIComponent(week)}`, label: t.toWeek }
    : { href: '/today', label: t.toToday };

const NoLesson = ({ back }: { back: { href: string; label: string } }) => (
  <Page title={t.title} back={back}>
    <Empty title={t.noLesson}>{t.noLessonWhy}</Empty>
  </Page>
);

const LessonRollCall = ({ lesson_id, back }: { lesson_id: string; back: { href: string; label: string } }) => {
  const sheet = useSheet(lesson_id);
  const roll = sheet.query.data.value;
  if (roll === undefined && isProblem(sheet.query.error.value, 'not_found')) return <NoLesson back={back} />;
  return (
    <Page
      title={roll === undefined ? t.title : t.titleOf(roll.lesson.clazz_name)}
      subtitle={roll === undefined ? '\u00a0' : detailsOf(roll)}
      back={back}
    >
      <Content sheet={sheet} lesson_id={lesson_id} />
    </Page>
  );
};
const LESSON_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const RollCallScreen = () => {
  const { params, query } = useRoute();
  const lesson_id = params['lesson_id'] ?? '';
  const back = backLink(query['week']);
  if (!LESSON_ID.test(lesson_id)) return <NoLesson back={back} />;
  return <LessonRollCall key={lesson_id} lesson_id={lesson_id} back={back} />;
};

export default RollCallScreen;
