import { createHash } from 'node:crypto';
import type { Lesson } from '@teaching/contracts';
import ical from 'ical-generator';
import { ICalEventStatus } from 'ical-generator';

/** What is kept of the secret of a feed. It is random, so a plain hash cannot be reversed by guessing. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

type FeedLesson = Pick<
  Lesson,
  | 'id'
  | 'starts_at'
  | 'ends_at'
  | 'room'
  | 'topic'
  | 'homework'
  | 'status'
  | 'version'
  | 'created_at'
  | 'updated_at'
  | 'cancel_reason'
> & { clazz_name: string };

/** What is said of a lesson, a line each: its topic, the homework, why it was cancelled. */
const describing = ({ topic, homework, cancel_reason }: FeedLesson): { description?: string } => {
  const lines = [topic, homework, cancel_reason].filter((line) => line !== null);
  return lines.length === 0 ? {} : { description: lines.join('\n') };
};

/**
 * Lessons as an iCalendar object (RFC 5545). The UID of a lesson never changes and its SEQUENCE grows with
 * every change, so calendars update what they have; a cancelled lesson stays and says so. Nothing in it
 * depends on when it was asked for: the same lessons give the same bytes.
 */
export const toCalendar = (lessons: readonly FeedLesson[]): string => {
  const calendar = ical({
    name: 'Lessons',
    prodId: { company: 'teaching', product: 'lessons', language: 'EN' },
    ttl: 3_600,
  });
  for (const lesson of lessons) {
    const changed = new Date(lesson.updated_at);
    calendar.createEvent({
      id: `${lesson.id}@lessons`,
      sequence: lesson.version - 1,
      start: new Date(lesson.starts_at),
      end: new Date(lesson.ends_at),
      stamp: changed,
      created: new Date(lesson.created_at),
      lastModified: changed,
      summary: lesson.clazz_name,
      status: lesson.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      ...(lesson.room === null ? {} : { location: lesson.room }),
      ...describing(lesson),
    });
  }
  return `${calendar.toString().trimEnd()}\r\n`;
};

/** Counts on with every change of how a calendar is written, so that no client keeps one in the former form. */
const FORM = 2;

/** A strong ETag (RFC 9110 §8.8.3): the same stamp of lessons, written in the same form, gives the same bytes. */
export const etagOf = (stamp: string): string => `"${FORM}-${stamp}"`;

/** An instant in RFC 3339 as an HTTP date (RFC 9110 §5.6.7), in whole seconds. */
export const httpDate = (at: string): string => new Date(at).toUTCString();

/** What a caller says of the copy it holds. */
interface Copy {
  if_none_match: string | undefined;
  if_modified_since: string | undefined;
}

/**
 * Whether the copy is what would be answered. Tags count, weak and strong alike (RFC 9110 §13.1.2); a date only when
 * there are none (§13.1.3), and one that cannot be read is none.
 */
export const isUnchanged = (
  { if_none_match, if_modified_since }: Copy,
  etag: string,
  changed_at: string | null,
): boolean => {
  if (if_none_match !== undefined) {
    const tags = new Set(if_none_match.split(',').map((tag) => tag.trim().replace(/^W\//, '')));
    return tags.has('*') || tags.has(etag);
  }
  return (
    if_modified_since !== undefined &&
    changed_at !== null &&
    Date.parse(if_modified_since) >= Date.parse(httpDate(changed_at))
  );
};
