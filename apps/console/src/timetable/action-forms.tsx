import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { readAllRows } from '../shared/row-query.ts';
import { api } from '../shared/api.ts';
import { useQuery } from '../shared/query.ts';
import { common } from '../shared/common-texts.ts';
import { type Draft, useDraft } from '../shared/draft.ts';
import { longDay, times } from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Empty, Failure } from '../shared/parts/message.tsx';
import { RestoredDraft } from '../shared/parts/restored-draft.tsx';
import { Segments } from '../shared/parts/segments.tsx';
import { type CancelInput, cancelLesson, restoreLesson, substituteTeacher } from './lesson-actions.ts';
import { t } from './timetable-texts.ts';
import type { Lesson } from './timetable.state.ts';

interface ActionFormProps {
  lesson: Lesson;
  onClose: () => void;
}

const lessonTitle = ({ clazz_name, starts_at, ends_at }: Lesson): string =>
  [clazz_name, t.dayAndTimes(longDay(starts_at), times(starts_at, ends_at))].join(t.comma);

/** Runs the action of a dialog and closes it; keeps the error if the action is refused. */
const useAction = (run: () => Promise<void>, onClose: () => void) => {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return { error, isBusy, submit };
};

interface ReasonFormProps {
  lesson: Lesson;
  /** The draft that contains the reason. It is kept until the form is sent or dismissed. */
  draft: Draft<{ reason: string }>;
  onClose: () => void;
  title: string;
  label: string;
  dismiss: string;
  isDanger?: boolean;
  run: (reason: string) => Promise<void>;
  children?: ComponentChildren;
}

const ReasonForm = ({
  lesson,
  draft,
  onClose,
  title,
  label,
  dismiss,
  isDanger = false,
  run,
  children,
}: ReasonFormProps) => {
  const { reason } = draft.values;
  const close = (): void => {
    draft.clear();
    onClose();
  };
  const { error, isBusy, submit } = useAction(() => run(reason.trim()), close);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div class="body">
          <p class="muted">{lessonTitle(lesson)}</p>
          <RestoredDraft draft={draft} />
          {children}
          <label class="field">
            <span>{t.reason}</span>
            <textarea
              rows={2}
              maxLength={500}
              required
              value={reason}
              onInput={(event) => draft.put({ reason: event.currentTarget.value })}
            />
          </label>
          {error !== undefined && <Failure error={error} />}
        </div>
        <footer>
          <button type="button" class="button" onClick={close}>
            {dismiss}
          </button>
          <button type="submit" class={isDanger ? 'button danger' : 'button main'} aria-busy={isBusy} disabled={isBusy}>
            {label}
          </button>
        </footer>
      </form>
    </Dialog>
  );
};

/** Cancels a lesson with a reason, on behalf of the school or the teacher. */
export const CancelForm = ({ lesson, onClose }: ActionFormProps) => {
  const draft = useDraft<CancelInput & { reason: string }>(`cancel ${lesson.id}`, {
    scope: 'this',
    reason: '',
    reason_public: false,
    by: 'org',
  });
  const { scope, reason_public, by } = draft.values;
  const check = (label: string, checked: boolean, put: (on: boolean) => void) => (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => put(event.currentTarget.checked)} />
      {label}
    </label>
  );
  return (
    <ReasonForm
      {...{ lesson, draft, onClose }}
      title={t.cancelIt}
      label={t.cancelIt}
      dismiss={t.keep}
      isDanger
      run={(reason) => cancelLesson(lesson, { ...draft.values, reason })}
    >
      {lesson.status === 'held' && <p class="warned">{t.cancelsHeld}</p>}
      {lesson.series_id !== null && (
        <div class="field">
          <span>{t.scope}</span>
          <Segments
            label={t.scope}
            value={scope}
            options={[
              ['this', t.this],
              ['following', t.following],
              ['all', t.allOfThem],
            ]}
            onChange={(chosen) => draft.put({ scope: chosen })}
          />
        </div>
      )}
      {check(t.reasonPublic, reason_public, (on) => draft.put({ reason_public: on }))}
      {check(t.teacherCaused, by === 'teacher', (on) => draft.put({ by: on ? 'teacher' : 'org' }))}
    </ReasonForm>
  );
};

export const RestoreForm = ({ lesson, onClose }: ActionFormProps) => {
  const draft = useDraft(`restore ${lesson.id}`, { reason: '' });
  return (
    <ReasonForm
      {...{ lesson, draft, onClose }}
      title={t.restore}
      label={t.restore}
      dismiss={common.cancel}
      run={(reason) => restoreLesson(lesson, reason)}
    />
  );
};

/** Lists the teachers who are free at that time, to take over the lesson. */
export const SubstituteForm = ({ lesson, onClose }: ActionFormProps) => {
  const [chosen, setChosen] = useState<{ id: string; name: string }>();
  const options = useQuery(
    `substitutes ${lesson.id}`,
    () => readAllRows((page) => api.listSubstituteOptions({ path: { lesson_id: lesson.id }, query: page })),
    { kinds: ['lesson', 'member'] },
  );
  const { error, isBusy, submit } = useAction(
    () => (chosen === undefined ? Promise.resolve() : substituteTeacher(lesson, chosen)),
    onClose,
  );
  return (
    <Dialog
      title={t.substitute}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button
            type="button"
            class="button main"
            aria-busy={isBusy}
            disabled={chosen === undefined || isBusy}
            onClick={() => void submit()}
          >
            {t.substitute}
          </button>
        </>
      }
    >
      <div class="body">
        <p class="muted">{lessonTitle(lesson)}</p>
        {error !== undefined && <Failure error={error} />}
        <QueryView query={options}>
          {(items) =>
            items.length === 0 ? (
              <Empty title={t.noneFree} />
            ) : (
              <fieldset class="options">
                <legend class="visually-hidden">{common.teacher}</legend>
                {items.map(({ teacher_id: id, teacher_name, same_course }) => {
                  const name = teacher_name ?? common.notListed;
                  return (
                    <label key={id} class="pick">
                      <input
                        type="radio"
                        name="substitute"
                        checked={chosen?.id === id}
                        onChange={() => setChosen({ id, name })}
                      />
                      <span>{name}</span>
                      {same_course && <span class="badge good">{t.sameCourse}</span>}
                    </label>
                  );
                })}
              </fieldset>
            )
          }
        </QueryView>
      </div>
    </Dialog>
  );
};
