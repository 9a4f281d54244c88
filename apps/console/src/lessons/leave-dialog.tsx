import type { LeaveQuote } from '@teaching/contracts';
import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { useQuery } from '../shared/query.ts';
import { common } from '../shared/common-texts.ts';
import { day, dayTime, hours, lastMomentBefore, times } from '../shared/format.ts';
import { useDraft } from '../shared/draft.ts';
import { RestoredDraft } from '../shared/parts/restored-draft.tsx';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Failure, Message } from '../shared/parts/message.tsx';
import { Segments } from '../shared/parts/segments.tsx';
import { toast } from '../shared/parts/toasts.tsx';
import { adviceOf } from '../shared/problem-texts.ts';
import { refreshLeave } from '../shared/refresh-leave.ts';
import type { Child } from './child.rules.ts';
import type { Lesson } from './lesson-days.rules.ts';
import { t } from './family-texts.ts';

const REASONS = ['ill', 'family', 'travel', 'school'] as const;
type Reason = (typeof REASONS)[number];

const Refusal = ({ quote: { refusal } }: { quote: LeaveQuote }) =>
  refusal && (
    <Message tone={refusal === 'leave_exists' ? 'info' : 'warn'}>
      <strong>{refusal === 'leave_exists' ? t.existsAlready : t.cannot}</strong>
      {refusal !== 'leave_exists' && (
        <p>
          {adviceOf(refusal)} {(refusal === 'leave_too_late' || refusal === 'leave_quota') && t.callOffice}
        </p>
      )}
    </Message>
  );

const quotaText = ({ limit, used }: LeaveQuote['quota']): string => {
  if (limit === null) return t.quotaOpen(used);
  return used > limit ? t.quotaFull(used - 1, limit) : t.quotaUsed(used, limit);
};

/** The cost of the leave and its make-up, before it is requested. */
const Quote = ({ quote }: { quote: LeaveQuote }) => {
  const { charge_hours, absent_hours, in_time, deadline, quota, make_up } = quote;
  const isFree = Number(charge_hours) === 0;
  return (
    <dl class="quote">
      <div class={`cost ${isFree ? 'good' : 'warn'}`}>
        <dt>{t.cost}</dt>
        <dd>
          <strong>{isFree ? t.nothing : common.hours(hours(charge_hours))}</strong>{' '}
          {absent_hours !== charge_hours && <span class="muted small">{t.insteadOf(hours(absent_hours))}</span>}
        </dd>
      </div>
      <div>
        <dt>{t.makeUp}</dt>
        <dd>{make_up === null ? t.noMakeUp : t.makeUpUntil(day(lastMomentBefore(make_up.expires_at)))}</dd>
      </div>
      <div>
        <dt>{t.deadline}</dt>
        <dd>{in_time ? t.inTime(dayTime(deadline)) : t.tooLate(dayTime(deadline))}</dd>
      </div>
      <div>
        <dt>{t.quota}</dt>
        <dd>{quotaText(quota)}</dd>
      </div>
    </dl>
  );
};

interface LeaveDialogProps {
  child: Child;
  lesson: Lesson;
  onClose: () => void;
  /** Called if the leave is approved at once with a make-up credit, so that the make-up lesson can be chosen. */
  onMayMakeUp: () => void;
}

/** Requests leave from one lesson, with its quote and a reason. */
export const LeaveDialog = ({ child, lesson, onClose, onMayMakeUp }: LeaveDialogProps) => {
  const quote = useQuery(
    `quote ${lesson.id} ${child.id}`,
    async (signal) =>
      (await api.quoteLeave({ query: { lesson_id: lesson.id, student_id: child.id } }, { signal })).data,
    { kinds: ['leave', 'lesson'] },
  );
  const draft = useDraft<{ reason: Reason; note: string }>(`leave ${lesson.id} ${child.id}`, {
    reason: 'ill',
    note: '',
  });
  const { reason, note } = draft.values;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    const reasonText = note.trim() === '' ? t[reason] : common.labelled(t[reason], note.trim());
    try {
      const body = { lesson_id: lesson.id, student_id: child.id, reason: reasonText };
      const [leave] = (await api.requestLeave({ body })).data.items;
      draft.clear();
      // The lesson offers to withdraw the leave, after a question.
      toast(leave?.status === 'approved' ? t.approved : t.sent, undefined, leave?.id);
      if (leave?.make_up?.status === 'available') onMayMakeUp();
      else onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      refreshLeave();
    }
  };
  return (
    <Dialog
      title={t.dialogTitle}
      onClose={onClose}
      footer={
        quote.data.value?.allowed === true && (
          <button type="button" class="button main" aria-busy={isBusy} disabled={isBusy} onClick={() => void send()}>
            {t.send}
          </button>
        )
      }
    >
      <div class="body leave-dialog">
        <div>
          <p>
            <strong>{lesson.clazz_name}</strong>
          </p>
          <p>{t.pair(day(lesson.starts_at), times(lesson.starts_at, lesson.ends_at))}</p>
          {!child.isSelf && <p class="muted">{t.forChild(child.name)}</p>}
        </div>
        <QueryView query={quote} rows={4}>
          {(found) => (
            <>
              <Refusal quote={found} />
              {found.refusal !== 'leave_exists' && <Quote quote={found} />}
              {found.allowed && (
                <>
                  <RestoredDraft draft={draft} />
                  <div class="field">
                    <span>{t.reason}</span>
                    <Segments
                      label={t.reason}
                      value={reason}
                      options={REASONS.map((value) => [value, t[value]] as const)}
                      onChange={(chosen) => draft.put({ reason: chosen })}
                    />
                  </div>
                  <label class="field">
                    <span>{t.note}</span>
                    <input
                      type="text"
                      maxLength={200}
                      value={note}
                      onInput={(event) => draft.put({ note: event.currentTarget.value })}
                    />
                  </label>
                  <p class="small muted">{found.at_once ? t.atOnce : t.schoolDecides}</p>
                </>
              )}
            </>
          )}
        </QueryView>
        {error !== undefined && <Failure error={error} />}
      </div>
    </Dialog>
  );
};
