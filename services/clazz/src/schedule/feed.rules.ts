import { createHash } from 'node:crypto';
import type { Lesson } from '@teaching/contracts';
import ical, { ICalEventStatus } from 'ical-generator';

export type FeedLesson = Pick<
  Lesson,
  'id' | 'starts_at' | 'ends_at' | 'room' | 'status' | 'version' | 'created_at' | 'updated_at' | 'cancel_reason'
> & { clazz_name: string };

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
      ...(lesson.cancel_reason === null ? {} : { description: lesson.cancel_reason }),
    });
  }
  return `${calendar.toString().trimEnd()}\r\n`;
};

/** A strong ETag (RFC 9110 §8.8.3) of exactly these bytes. */
export const etagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url')}"`;

/** Whether `If-None-Match` holds this tag; weak and strong compare alike here (RFC 9110 §13.1.2). */
export const isUnchanged = (if_none_match: string | undefined, etag: string): boolean => {
  if (if_none_match === undefined) return false;
  const tags = new Set(if_none_match.split(',').map((tag) => tag.trim().replace(/^W\//, '')));
  return tags.has('*') || tags.has(etag);
};
