import { day, hours } from '../format.ts';
import type { HourEntry } from './hour-entry.rules.ts';
import { t } from './hours-texts.ts';

const MARK_TEXTS = {
  present: () => t.markPresent,
  late: () => t.markLate,
  absent: () => t.markAbsent,
  leave: () => t.markLeave,
  makeup: () => t.markMakeup,
  trial: () => t.markTrial,
} as const;

const lessonText = ({ lesson_starts_at, clazz_name, mark }: HourEntry): string =>
  lesson_starts_at === null
    ? ''
    : t.forLesson(day(lesson_starts_at), clazz_name ?? '–', mark === null ? t.lessonCancelled : MARK_TEXTS[mark]());

/** The reason of an hour entry: `Mon 23 Nov, English A1: present`. */
export const entryText = (entry: HourEntry): string => {
  const { kind, package_title } = entry;
  switch (kind) {
    case 'grant':
      return package_title === null ? t.grantedPlain : t.granted(package_title);
    case 'consume':
      return lessonText(entry);
    case 'reverse':
      return entry.lesson_id === null ? t.grantUndone : t.givenBack(lessonText(entry));
    case 'expire':
      return t.ended;
    case 'refund':
      return t.refunded;
    case 'transfer_out':
      return t.movedOut;
    case 'transfer_in':
      return t.movedIn;
    case 'adjust':
      return t.adjusted;
    case 'settle':
      return t.settled(hours(entry.amount));
    default:
      return kind satisfies never;
  }
};
