import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import type { Concern } from '../shared/concern.rules.ts';
import { invalidateKinds, useQuery } from '../shared/query.ts';
import { now } from '../shared/clock.ts';
import { dayTime, hours, list } from '../shared/format.ts';
import { useDraft } from '../shared/draft.ts';
import { useOpenState } from '../shared/open-state.ts';
import { RestoredDraft } from '../shared/parts/restored-draft.tsx';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Failure } from '../shared/parts/message.tsx';
import { useIdempotentWrite } from '../shared/use-idempotent-write.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { readAllRows } from '../shared/row-query.ts';
import { type Child, chosenChild } from './child.rules.ts';
import {
  type Attempt,
  type GivenAnswer,
  canAttempt,
  type Question,
  answeredOf,
  type PracticeDetails,
} from './practice.rules.ts';
import { QuestionField } from './question-field.tsx';
import { common } from '../shared/common-texts.ts';
import { t } from './family-texts.ts';

const answerText = (answer: GivenAnswer | undefined): string => {
  if (answer === undefined) return t.noAnswer;
  if (typeof answer === 'boolean') return answer ? t.yes : t.no;
  return typeof answer === 'string' ? answer : list(answer);
};

const Answer = ({ question, attempt }: { question: Question; attempt: Attempt }) => {
  const points = attempt.points?.[question.id];
  return (
    <li>
      <p>{question.prompt}</p>
      <p class="small">
        {common.labelled(t.yourAnswer, answerText(attempt.answers[question.id]))}
        {points !== undefined && <span class="badge">{t.score(hours(points), hours(question.points))}</span>}
      </p>
      {question.answer_key !== undefined && (
        <p class="small">{common.labelled(t.rightAnswer, answerText(question.answer_key))}</p>
      )}
    </li>
  );
};

const AttemptDetails = ({
  attempt,
  practice,
  isOpen,
}: {
  attempt: Attempt;
  practice: PracticeDetails;
  isOpen: boolean;
}) => (
  <details class="attempt" open={isOpen}>
    <summary>
      {t.attempt(attempt.attempt, dayTime(attempt.submitted_at))}{' '}
      {attempt.late && <span class="badge warn">{t.handedInLate}</span>}{' '}
      {attempt.score == null ? (
        <span class="badge">{t.waiting}</span>
      ) : (
        <span class="badge good">{t.score(hours(attempt.score), hours(practice.total_points))}</span>
      )}
    </summary>
    {attempt.comment != null && attempt.comment !== '' && <blockquote>{attempt.comment}</blockquote>}
    <ol class="answers">
      {practice.content.questions.map((question) => (
        <Answer key={question.id} question={question} attempt={attempt} />
      ))}
    </ol>
  </details>
);

const AnswerForm = ({ practice, onDone }: { practice: PracticeDetails; onDone: () => void }) => {
  const draft = useDraft<Readonly<Record<string, GivenAnswer>>>(`practice ${practice.id}`, {});
  const answers = draft.values;
  const once = useIdempotentWrite();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const answered = answeredOf(answers, practice.content.questions);
  const total = practice.content.questions.length;
  const unanswered = total - Object.keys(answered).length;
  const canHandIn = total === 0 || unanswered < total;
  const send = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const body = { answers: answered };
      await once((key) => api.submitLianxi({ path: { id: practice.id }, body }, key));
      draft.clear();
      toast(t.handedIn);
      onDone();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      invalidateKinds('submission', 'practice');
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (unanswered > 0 && !isAsking) setAsking(true);
        else if (canHandIn) void send();
      }}
    >
      <div class="body">
        <RestoredDraft draft={draft} />
        {practice.content.questions.map((question, at) => (
          <QuestionField
            key={question.id}
            number={at + 1}
            question={question}
            value={answers[question.id]}
            onChange={(value) => {
              draft.put({ [question.id]: value });
              setAsking(false);
            }}
          />
        ))}
        {error !== undefined && <Failure error={error} />}
      </div>
      <footer>
        {isAsking && (
          <>
            <p class="question-note" role="alert">
              {canHandIn ? t.unanswered(unanswered, total) : t.nothingAnswered}
            </p>
            {canHandIn && (
              <button type="button" class="button" onClick={() => setAsking(false)}>
                {t.continueAnswering}
              </button>
            )}
          </>
        )}
        <button type="submit" class="button main" aria-busy={isBusy} disabled={isBusy}>
          {isAsking && canHandIn ? t.handInAnyway : t.handIn}
        </button>
      </footer>
    </form>
  );
};

const PRACTICE_CHANGES: Concern = { kinds: ['practice', 'submission', 'marking'] };

/** One practice with its attempts and results. A student can answer it here. */
export const PracticeDialog = ({ child, id, onClose }: { child: Child; id: string; onClose: () => void }) => {
  const [isAnswering, setAnswering] = useOpenState(`practice ${id}`, false);
  const query = useQuery(
    `practice ${id} of ${child.id}`,
    async (signal) => {
      const [practice, attempts] = await Promise.all([
        api.getLianxi({ path: { id }, query: chosenChild(child) }, { signal }),
        readAllRows((page) =>
          api.listSubmissions({ path: { id }, query: { ...chosenChild(child), ...page } }, { signal }),
        ),
      ]);
      return { practice: practice.data, attempts };
    },
    PRACTICE_CHANGES,
  );
  const found = query.data.value;
  const canAnswer =
    child.isSelf && found !== undefined && canAttempt(found.practice, found.attempts.length, now.value) && !isAnswering;
  return (
    <Dialog
      title={found?.practice.title ?? t.practiceTitle}
      onClose={onClose}
      footer={
        canAnswer && (
          <button type="button" class="button main" onClick={() => setAnswering(true)}>
            {found.attempts.length === 0 ? t.start : t.again}
          </button>
        )
      }
    >
      {isAnswering && found ? (
        <AnswerForm practice={found.practice} onDone={() => setAnswering(false)} />
      ) : (
        <div class="body">
          <QueryView query={query} rows={5}>
            {({ practice, attempts }) => (
              <>
                <p class="muted small">
                  {practice.course_title} · {t.questions(practice.question_count, hours(practice.total_points))}
                </p>
                {attempts.length === 0 && <p>{t.noAttempt}</p>}
                {attempts.map((attempt, at) => (
                  <AttemptDetails key={attempt.id} attempt={attempt} practice={practice} isOpen={at === 0} />
                ))}
              </>
            )}
          </QueryView>
        </div>
      )}
    </Dialog>
  );
};
