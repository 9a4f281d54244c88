import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isProblem } from '@teaching/client/browser';
import { api } from '../shared/api.ts';
import { invalidateKinds } from '../shared/query.ts';
import { common } from '../shared/common-texts.ts';
import { useDraft } from '../shared/draft.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { Failure } from '../shared/parts/message.tsx';
import { RestoredDraft } from '../shared/parts/restored-draft.tsx';
import { toast } from '../shared/parts/toasts.tsx';
import { t } from './week-texts.ts';
import type { OwnLesson } from './week.rules.ts';

/** Topic and homework; a click edits them. */
export const Topic = ({ lesson, onEdit }: { lesson: OwnLesson; onEdit: () => void }) => {
  const { topic, homework } = lesson;
  const isEmpty = topic === null && homework === null;
  return (
    <button type="button" class="topic" title={t.addTopic} onClick={onEdit}>
      {isEmpty ? (
        <span class="muted small">
          <Icon name="plus" size={14} /> {t.addTopic}
        </span>
      ) : (
        <>
          {topic !== null && <span>{topic}</span>}
          {homework !== null && <span class="muted small">{common.labelled(t.homework, homework)}</span>}
        </>
      )}
    </button>
  );
};

const textOf = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** Edits topic and homework in place. A change that another person saved meanwhile is not overwritten. */
export const TopicForm = ({ lesson, onClose }: { lesson: OwnLesson; onClose: () => void }) => {
  // The version that was read when editing began. A later change of another person is shown, not lost.
  const [firstVersion] = useState(lesson.version);
  const draft = useDraft(`topic ${lesson.id}`, {
    topic: lesson.topic ?? '',
    homework: lesson.homework ?? '',
    version: 0,
  });
  const { topic, homework } = draft.values;
  const version = draft.values.version || firstVersion;
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [otherText, setOtherText] = useState<string>();
  const first = useRef<HTMLInputElement>(null);
  const close = (): void => {
    draft.clear();
    onClose();
  };
  useLayoutEffect(() => first.current?.focus(), []);
  /** Shows the other person's text and takes its version, so that the next save overwrites it knowingly. */
  const showOtherText = async (): Promise<void> => {
    const { data } = await api.getLesson({ path: { lesson_id: lesson.id } });
    setOtherText([data.topic, data.homework].filter((text) => text !== null).join(' · '));
    draft.put({ version: data.version });
    invalidateKinds('lesson');
  };
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    try {
      const body = { topic: textOf(topic), homework: textOf(homework) };
      await api.updateLesson({ path: { lesson_id: lesson.id }, body }, { if_match: `"${version}"` });
      invalidateKinds('lesson');
      toast(t.savedTopic);
      close();
    } catch (caught) {
      setError(caught);
      if (isProblem(caught, 'version_mismatch')) await showOtherText().catch(() => undefined);
      setBusy(false);
    }
  };
  return (
    <form
      class="topic-form"
      onSubmit={(event) => void save(event)}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <RestoredDraft draft={draft} />
      {error !== undefined && <Failure error={error} />}
      {otherText !== undefined && <p class="small">{t.nowThere(otherText)}</p>}
      <label class="field">
        <span>{t.topic}</span>
        <input
          ref={first}
          maxLength={200}
          value={topic}
          onInput={({ currentTarget }) => draft.put({ topic: currentTarget.value, version })}
        />
      </label>
      <label class="field">
        <span>{t.homework}</span>
        <textarea
          rows={3}
          maxLength={4000}
          value={homework}
          onInput={({ currentTarget }) => draft.put({ homework: currentTarget.value, version })}
        />
      </label>
      <div class="acts">
        <button type="button" class="button" onClick={close}>
          {common.cancel}
        </button>
        <button type="submit" class="button main" aria-busy={isBusy}>
          {common.save}
        </button>
      </div>
    </form>
  );
};
