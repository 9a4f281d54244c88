import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { useDraft } from '../shared/draft.ts';
import { dayTime, orgZone } from '../shared/format.ts';
import { Failure, Message } from '../shared/parts/message.tsx';
import { RestoredDraft } from '../shared/parts/restored-draft.tsx';
import { QueryView } from '../shared/parts/query-view.tsx';
import { adviceOf } from '../shared/problem-texts.ts';
import { useQuery } from '../shared/query.ts';
import { useIdempotentWrite } from '../shared/use-idempotent-write.ts';
import { instantOf, localOf } from '../shared/zone.rules.ts';
import { approveEntered } from './leave-decision.state.ts';
import { leaveEntryOf, markedLesson } from './leave-entry.rules.ts';
import { LeaveFacts } from './leave-facts.tsx';
import { ReasonField } from './reason-field.tsx';
import type { DayLesson } from './today.rules.ts';
import { t } from './today-texts.ts';

interface EnterLeaveProps {
  lesson: DayLesson;
  student_id: string;
  onEntered: () => void;
  onCancel: () => void;
}

/** The instant of a `datetime-local` field in the zone of the organization; undefined while it is empty. */
const instantFrom = (typed: string): string | undefined => {
  const [date = '', time = ''] = typed.split('T');
  return date === '' || time === '' ? undefined : new Date(instantOf({ date, time }, orgZone())).toISOString();
};

/** A form of the office for leave of a student from one lesson. The leave is approved at once. */
export const EnterLeave = ({ lesson, student_id, onEntered, onCancel }: EnterLeaveProps) => {
  const hasBegun = Date.parse(lesson.starts_at) <= now.value;
  const quote = useQuery(
    `quote ${lesson.id} ${student_id} ${hasBegun}`,
    async (signal) => {
      const [{ data }, sheet] = await Promise.all([
        api.quoteLeave({ query: { lesson_id: lesson.id, student_id } }, { signal }),
        hasBegun ? api.getRollCall({ path: { lesson_id: lesson.id } }, { signal }) : undefined,
      ]);
      return { ...data, marked: sheet && markedLesson(sheet.data, student_id, now.peek()) };
    },
    { kinds: ['leave', 'lesson', 'roll_call'] },
  );
  const draft = useDraft(`enter leave ${lesson.id} ${student_id}`, {
    reason: '',
    called: '',
    exception: '',
    approval: '',
  });
  const { reason, called, exception, approval } = draft.values;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const once = useIdempotentWrite();
  const called_at = instantFrom(called);
  const found = quote.data.value;
  const entry = found && leaveEntryOf(found, called_at);
  const cancel = (): void => {
    draft.clear();
    onCancel();
  };
  const enter = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    const body = {
      lesson_id: lesson.id,
      student_id,
      reason: reason.trim(),
      ...(called_at === undefined ? {} : { called_at }),
      ...(entry?.override === undefined ? {} : { override_reason: exception.trim() }),
    };
    try {
      const [leave] = (await once((key) => api.requestLeave({ body }, key))).data.items;
      draft.clear();
      if (leave !== undefined)
        await approveEntered(leave, found?.marked?.reasonFor === undefined ? '' : approval.trim());
      onEntered();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault();
        void enter();
      }}
    >
      <QueryView query={quote} rows={2}>
        {({ deadline, quota, in_time, marked }) =>
          entry?.refusal !== undefined ? (
            <Message tone="warn">{adviceOf(entry.refusal)}</Message>
          ) : (
            <>
              <RestoredDraft draft={draft} />
              <LeaveFacts charge_hours={entry?.charge_hours} in_time={entry?.in_time ?? in_time} quota={quota} />
              {marked?.mark != null && (
                <span class={marked.reasonFor === 'attended' ? 'badge warn' : 'badge'}>
                  {common.labelled(t.rollCall, common[marked.mark])}
                </span>
              )}
              <ReasonField
                label={t.leaveReason}
                value={reason}
                onValue={(typed) => draft.put({ reason: typed })}
                required
                hasFocus
              />
              {!in_time && (
                <label class="field">
                  <span>{t.calledAt}</span>
                  <input
                    type="datetime-local"
                    max={Object.values(localOf(Date.now(), orgZone())).join('T')}
                    value={called}
                    onInput={(event) => draft.put({ called: event.currentTarget.value })}
                  />
                  <small class="muted">{t.calledAtHint(dayTime(deadline))}</small>
                </label>
              )}
              {entry?.override !== undefined && (
                <ReasonField
                  label={entry.override === 'leave_quota' ? t.overQuota : t.overDeadline}
                  value={exception}
                  onValue={(typed) => draft.put({ exception: typed })}
                  required
                />
              )}
              {marked?.reasonFor !== undefined && (
                <ReasonField
                  label={marked.reasonFor === 'attended' ? t.attendedWhy : t.windowOverWhy}
                  value={approval}
                  onValue={(typed) => draft.put({ approval: typed })}
                  required
                />
              )}
              {hasBegun && <p class="small muted">{t.entryStays}</p>}
            </>
          )
        }
      </QueryView>
      {error !== undefined && <Failure error={error} />}
      <div class="acts">
        <button type="button" class="button quiet" onClick={cancel}>
          {common.cancel}
        </button>
        <button
          type="submit"
          class="button main"
          aria-busy={isBusy}
          disabled={isBusy || entry === undefined || entry.refusal !== undefined}
        >
          {t.enterAndApprove}
        </button>
      </div>
    </form>
  );
};
