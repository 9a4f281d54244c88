import { useState } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { useDraft } from '../shared/draft.ts';
import { orgZone } from '../shared/format.ts';
import { FORM_TEXTS, keysOf } from '../shared/lesson-texts.ts';
import { DecimalInput } from '../shared/parts/decimal-input.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Failure } from '../shared/parts/message.tsx';
import { RestoredDraft } from '../shared/parts/restored-draft.tsx';
import { Segments } from '../shared/parts/segments.tsx';
import { ClashMessage } from './clash-message.tsx';
import { changesOf, type Draft, timesOf } from './draft.rules.ts';
import { type DraftFieldProps, PickField, RepeatFields, RoomField, TimeFields } from './lesson-fields.tsx';
import { readLeadTeacher, saveDraft, type CheckState, useRooms, useCheck } from './lesson-form.state.ts';
import { Picker } from './picker.tsx';
import { t } from './timetable-texts.ts';
import type { Lesson } from './timetable.state.ts';

/** Whether the draft has clashes, clashes of students (which cannot be overridden), and a room that is too small. */
const clashStateOf = (seen: CheckState): { clashes: boolean; isNeverAllowed: boolean; tooSmall: boolean } => {
  const conflicts =
    seen.state === 'one'
      ? seen.check.conflicts
      : seen.state === 'series'
        ? seen.preview.occurrences.flatMap((occurrence) => occurrence.conflicts)
        : [];
  return {
    clashes: conflicts.length > 0,
    isNeverAllowed: conflicts.some(({ student_ids }) => student_ids.length > 0),
    tooSmall:
      (seen.state === 'one' && seen.check.too_small !== null) ||
      (seen.state === 'series' && seen.preview.too_small !== null),
  };
};

const ClashChoice = ({ draft, put, seen, isSeries }: DraftFieldProps & { seen: CheckState; isSeries: boolean }) => {
  const { clashes, isNeverAllowed } = clashStateOf(seen);
  if (!clashes) return null;
  return (
    <div class="overriding">
      {isSeries && (
        <label class="check">
          <input
            type="checkbox"
            checked={draft.skip}
            onChange={(event) => put({ skip: event.currentTarget.checked })}
          />
          {t.skipClashes}
        </label>
      )}
      {isNeverAllowed && !draft.skip ? (
        <p class="small">{t.noOverride}</p>
      ) : (
        <label class="check">
          <input
            type="checkbox"
            checked={draft.override}
            onChange={(event) => put({ override: event.currentTarget.checked })}
          />
          {t.override}
        </label>
      )}
    </div>
  );
};

interface LessonFormProps {
  title: string;
  /** The name of the form's draft. A move to other times is another form than an edit. */
  draftName: string;
  start: Draft;
  lesson?: Lesson;
  onClose: () => void;
}

/** Creates a lesson or a series, or edits a lesson. Clashes are shown while the form is filled in. */
export const LessonForm = ({ title, draftName, start, lesson, onClose }: LessonFormProps) => {
  const kept = useDraft(draftName, start);
  const { values: draft, put } = kept;
  const [picking, setPicking] = useState<'clazz' | 'teacher'>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const seen = useCheck(draft, lesson);
  const rooms = useRooms(draft, seen);
  const freeRooms = rooms.filter(({ isTaken, isTooSmall }) => isTaken === false && !isTooSmall).map(({ name }) => name);
  const isSeries = draft.weekdays.length > 0;
  const { clashes, isNeverAllowed, tooSmall } = clashStateOf(seen);
  const isHeld = lesson?.status === 'held';
  const needsReason = (clashes && draft.override) || isHeld;
  const isClashAccepted = isSeries && draft.skip ? true : draft.override && !isNeverAllowed;
  const isReady =
    draft.clazz !== undefined &&
    draft.teacher !== undefined &&
    timesOf(draft, orgZone()) !== undefined &&
    seen.state !== 'asking' &&
    (!clashes || isClashAccepted) &&
    !tooSmall;
  const isChanged = lesson === undefined || Object.keys(changesOf(draft, lesson, orgZone())).length > 0;

  const cancel = (): void => {
    kept.clear();
    onClose();
  };
  const submit = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await saveDraft(clashes ? draft : { ...draft, override: false }, lesson);
      cancel();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const pickClazz = async (clazz: { id: string; name: string }): Promise<void> => {
    put({ clazz });
    try {
      const teacher = await readLeadTeacher(clazz.id);
      put((current) => (current.clazz?.id === clazz.id ? { teacher } : {}));
    } catch (failure) {
      setError(failure);
    }
  };

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div class="body lesson-form">
          <RestoredDraft draft={kept} />
          <PickField
            label={common.class}
            name={draft.clazz?.name}
            isFixed={lesson !== undefined}
            onOpen={() => setPicking('clazz')}
          />
          <TimeFields draft={draft} put={put} isFixed={isHeld} />
          <div class="two">
            <PickField label={common.teacher} name={draft.teacher?.name} onOpen={() => setPicking('teacher')} />
            <RoomField {...{ draft, put, rooms }} />
          </div>
          {lesson === undefined && <RepeatFields draft={draft} put={put} />}
          {lesson !== undefined && lesson.series_id !== null && (
            <div class="field">
              <span>{t.scope}</span>
              <Segments
                label={t.scope}
                value={draft.scope}
                options={[
                  ['this', t.this],
                  ['following', t.following],
                  ['all', t.allOfThem],
                ]}
                onChange={(scope) => put({ scope })}
              />
            </div>
          )}
          <ClashMessage seen={seen} rooms={freeRooms} onPick={put} />
          <ClashChoice {...{ draft, put, seen, isSeries }} />
          {needsReason && (
            <label class="field">
              <span>{t.reason}</span>
              <input
                required={clashes && draft.override}
                maxLength={500}
                value={draft.reason}
                onInput={(event) => put({ reason: event.currentTarget.value })}
              />
            </label>
          )}
          <details class="more">
            <summary>{[...keysOf(FORM_TEXTS).map((name) => t[name]), t.hoursWorth].join(t.comma)}</summary>
            <div class="two">
              {keysOf(FORM_TEXTS).map((name) => (
                <label key={name} class="field">
                  <span>{t[name]}</span>
                  <input
                    maxLength={FORM_TEXTS[name]}
                    value={draft.texts[name] ?? ''}
                    onInput={(event) => put({ texts: { ...draft.texts, [name]: event.currentTarget.value } })}
                  />
                </label>
              ))}
              <label class="field">
                <span>{t.hoursWorth}</span>
                <DecimalInput
                  min={0}
                  max={24}
                  places={2}
                  required
                  value={draft.hours}
                  onValue={(hours) => put({ hours })}
                />
              </label>
            </div>
          </details>
          {error !== undefined && <Failure error={error} />}
        </div>
        <footer>
          <button type="button" class="button" onClick={cancel}>
            {common.cancel}
          </button>
          <button type="submit" class="button main" aria-busy={isBusy} disabled={!isReady || !isChanged || isBusy}>
            {common.save}
          </button>
        </footer>
      </form>
      {picking !== undefined && (
        <Picker
          kind={picking}
          title={picking === 'clazz' ? common.class : common.teacher}
          onClose={() => setPicking(undefined)}
          onPick={(picked) => {
            setPicking(undefined);
            if (picked === undefined) return;
            if (picking === 'clazz') void pickClazz(picked);
            else put({ teacher: picked });
          }}
        />
      )}
    </Dialog>
  );
};
