import { createHash } from 'node:crypto';
import { type Lesson, withoutControls } from '@teaching/contracts';
import ical from 'ical-generator';
import { ICalEventStatus } from 'ical-generator';

/** The stored hash of a feed's secret. The secret is random, so a plain hash cannot be reversed by guessing. */
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

/** The description of a lesson: topic, homework and reason of cancellation, one line each. */
const descriptionOf = ({ topic, homework, cancel_reason }: FeedLesson): { description?: string } => {
  const lines = [topic, homework, cancel_reason].filter((line) => line !== null);
  return lines.length === 0 ? {} : { description: withoutControls(lines.join('\n')) };
};

/** A name as a TEXT value in one line (§3.3.11). The library escapes the texts of events, but not the calendar's name. */
const toText = (name: string): string =>
  withoutControls(name)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\;,]/g, String.raw`\$&`);

/**
 * Lessons as an iCalendar object (RFC 5545).
 * The UID of a lesson never changes, and its SEQUENCE grows with every change, so calendars update their copy. A
 * cancelled lesson stays with the status CANCELLED.
 * Control characters of older texts are left out (§3.1: they end the value for strict readers).
 * The calendar of a guardian has the name of the child, so that those of two children differ.
 * The output depends on the arguments only: the same lessons and name give the same bytes.
 */
export const toCalendar = (lessons: readonly FeedLesson[], child_name: string | null): string => {
  const calendar = ical({
    name: child_name === null ? 'Lessons' : `${toText(child_name)} · Lessons`,
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
      summary: withoutControls(lesson.clazz_name),
      status: lesson.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      ...(lesson.room === null ? {} : { location: withoutControls(lesson.room) }),
      ...descriptionOf(lesson),
    });
  }
  return `${calendar.toString().trimEnd()}\r\n`;
};

/**
 * The version of the output format. Increase it with every change of the format, so that no client keeps a feed in the
 * old format.
 */
const FORMAT_VERSION = 4;

/** A strong ETag (RFC 9110 §8.8.3): the same stamp in the same format gives the same bytes. */
export const etagOf = (stamp: string): string => `"${FORMAT_VERSION}-${stamp}"`;

/** Converts an instant in RFC 3339 to an HTTP date (RFC 9110 §5.6.7) in whole seconds. */
export const httpDate = (at: string): string => new Date(at).toUTCString();

/** The conditional headers of a caller that has a copy. */
interface ConditionalHeaders {
  if_none_match: string | undefined;
  if_modified_since: string | undefined;
}

/**
 * Whether the caller's copy is current. ETags count, weak and strong alike (RFC 9110 §13.1.2). A date counts only
 * without ETags (§13.1.3), and an unreadable date is ignored.
 */
export const isUnchanged = (
  { if_none_match, if_modified_since }: ConditionalHeaders,
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
