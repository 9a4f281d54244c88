import type { Mark } from '@teaching/contracts';
import { common } from '../shared/common-texts.ts';
import * as format from '../shared/format.ts';
import type { Phase, RollCall } from './roll-call.rules.ts';
import { t } from './roll-call-texts.ts';

/** The name of a mark. */
export const markText = (mark: Mark | null): string => {
  switch (mark) {
    case null:
      return common.unmarked;
    case 'present':
      return common.present;
    case 'late':
      return common.late;
    case 'absent':
      return common.absent;
    case 'leave':
      return t.excused;
    case 'makeup':
      return common.makeup;
    case 'trial':
      return common.trial;
    default:
      return mark satisfies never;
  }
};

/** The name of a mark; for late students the minutes. */
export const markTextWithMinutes = (mark: Mark | null, late_minutes: number | null): string =>
  mark === 'late' && late_minutes !== null ? t.minutes(late_minutes) : markText(mark);

/** Why the person cannot mark now; undefined while they can. */
export const closedText = (
  phase: Phase,
  roll: Pick<RollCall, 'lesson' | 'opens_at' | 'closes_at'>,
): string | undefined => {
  switch (phase) {
    case 'open':
      return undefined;
    case 'cancelled':
      return t.cancelledLesson;
    case 'early':
      return t.early(format.dayTime(roll.opens_at));
    case 'closed':
      return t.closed(format.dayTime(roll.closes_at));
    case 'of_others':
      return t.ofOthers(roll.lesson.teacher_name ?? common.notListed);
    default:
      return phase satisfies never;
  }
};
