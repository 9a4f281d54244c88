import { type Clazz, isInYears, type Lesson, Problem } from '@teaching/contracts';
import { type Caller, isSupervisor, DAY_MS, MINUTE_MS } from '@teaching/kit';
import type { LessonRow } from '../record/record.tables.ts';

/** The fields of a class that are the defaults of its lessons. */
export type ClazzDefaults = Pick<Clazz, 'lead_teacher_id' | 'zone'>;
export const clazzDefaults = ({ lead_teacher_id, zone }: ClazzDefaults) => ({ teacher_id: lead_teacher_id, zone });

/** 400 unless the lesson is in the years 1970 to 2999 and lasts more than no time and at most 24 hours. */
export const checkTimes = ({ starts_at, ends_at }: Pick<Lesson, 'starts_at' | 'ends_at'>): void => {
  const length = Date.parse(ends_at) - Date.parse(starts_at);
  const outside = isInYears(starts_at) ? (isInYears(ends_at) ? undefined : 'ends_at') : 'starts_at';
  const errors = [
    ...(outside === undefined
      ? []
      : [{ path: `/body/${outside}`, message: 'makes a lesson outside the years 1970 to 2999' }]),
    ...(length > 0 ? [] : [{ path: '/body/ends_at', message: 'must be after starts_at' }]),
    ...(length <= DAY_MS ? [] : [{ path: '/body/ends_at', message: 'must be at most 24 hours after starts_at' }]),
  ];
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
};

/** Whether the request overrides clashes. Only a supervisor may: 403 for other callers. */
export const checkOverride = (caller: Caller, { override }: { override?: boolean | null | undefined }): boolean => {
  if (override !== true) return false;
  if (!isSupervisor(caller)) throw new Problem('forbidden', 'Only a supervisor may override clashes');
  return true;
};

export interface Cancellation {
  by: 'teacher' | 'org';
  reason: string | null;
  /** Whether students see the reason. */
  reason_public: boolean;
}

/** The reason of a cancellation, of one lesson or with its class. */
export interface CancellationInput {
  reason?: string | null | undefined;
  reason_public?: boolean | null | undefined;
}
export const cancellationReason = (
  body: CancellationInput | undefined,
): Pick<Cancellation, 'reason' | 'reason_public'> => ({
  reason: body?.reason ?? null,
  reason_public: body?.reason_public ?? false,
});

/** The party that cancels, for charges. The default is the org for a supervisor, else the teacher. */
export const cancellation = (
  caller: Caller,
  body: (CancellationInput & { by?: 'teacher' | 'org' | null | undefined }) | undefined,
): Cancellation => ({
  by: body?.by ?? (isSupervisor(caller) ? 'org' : 'teacher'),
  ...cancellationReason(body),
});

/**
 * Refuses to cancel a cancelled lesson. Cancelling a held lesson reverses its charges, so only a supervisor may, with a
 * reason.
 */
export const requireCancellable = (caller: Caller, it: Pick<Lesson, 'status'>, reason: string | null): void => {
  if (it.status === 'cancelled') {
    throw new Problem('invalid_transition', {
      detail: 'The lesson is already cancelled',
      members: { from: 'cancelled', to: 'cancelled' },
    });
  }
  if (it.status !== 'held') return;
  if (!isSupervisor(caller)) throw new Problem('forbidden', 'Only a supervisor may cancel a lesson that was held');
  if (reason === null) {
    throw new Problem('invalid_request', {
      errors: [{ path: '/body/reason', message: 'is required: the lesson was held' }],
    });
  }
};

/** The lesson after it is cancelled. */
export const cancelledLesson = <L extends Lesson>(
  it: L,
  { by, reason, reason_public }: Cancellation,
  now: Date,
): L => ({
  ...it,
  status: 'cancelled',
  cancelled_by: by,
  cancel_reason: reason,
  reason_public,
  version: it.version + 1,
  updated_at: now.toISOString(),
});

/** The lesson after it is set back to scheduled. */
export const restoredLesson = (it: LessonRow, now: Date): LessonRow => ({
  ...it,
  status: 'scheduled',
  held_at: null,
  cancelled_by: null,
  cancel_reason: null,
  reason_public: false,
  version: it.version + 1,
  updated_at: now.toISOString(),
});

/** How long after its creation a lesson can be removed. */
const REMOVABLE_MS = 10 * MINUTE_MS;

/** Whether a lesson was created in the last 10 minutes and has not begun (domain rules, section 11). */
export const isNewLesson = ({ created_at, starts_at }: Pick<Lesson, 'created_at' | 'starts_at'>, now: Date): boolean =>
  now.getTime() - Date.parse(created_at) <= REMOVABLE_MS && Date.parse(starts_at) > now.getTime();
