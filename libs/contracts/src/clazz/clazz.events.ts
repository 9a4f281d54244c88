import { z } from 'zod';
import { event } from '../event.ts';
import { Decimal, ID, Instant, PersonId, Role } from '../scalars.ts';
import { Clazz, Enrolment, ENTRY_KINDS, LEAVE_STATUSES, Lesson, Mark } from './clazz.schema.ts';

const STATS = { feeds: ['stats'] };

/** Half-open `[since, until)`; `until` null while it lasts. */
const Period = z.object({ since: Instant, until: Instant.nullable() });

/**
 * Events carry the whole state of what changed, so that a projection can be rebuilt from the last one of
 * each record. Except for hours, the aggregate is the class: all events of one class arrive in order.
 */
export const clazzEvents = {
  clazzChanged: event(
    'clazz.clazz.changed',
    'A class was created, edited or changed its state',
    z.object({
      change: z.enum(['created', 'updated', 'activated', 'completed', 'reopened', 'cancelled', 'deleted']),
      clazz: Clazz,
    }),
    STATS,
  ),
  enrolmentChanged: event(
    'clazz.enrolment.changed',
    'Enrolments of one class changed; `periods` is when each student really belongs to it',
    z.object({
      clazz_id: ID,
      enrolments: z.array(Enrolment.extend({ periods: z.array(Period) })),
    }),
    STATS,
  ),
  lessonChanged: event(
    'clazz.lesson.changed',
    'Lessons of one class were created, edited, held or cancelled (at most 200 per event)',
    z.object({ clazz_id: ID, lessons: z.array(Lesson) }),
    STATS,
  ),
  lessonDeleted: event(
    'clazz.lesson.deleted',
    'Lessons of one class were removed together with it',
    z.object({ clazz_id: ID, lesson_ids: z.array(ID) }),
    STATS,
  ),
  rollCallRecorded: event(
    'clazz.roll_call.recorded',
    'Marks of one lesson were set or revised; only the marks that changed',
    z.object({
      clazz_id: ID,
      lesson: Lesson,
      marks: z.array(
        z.object({
          student_id: PersonId,
          /** `null`: the mark no longer counts, e.g. because the lesson was cancelled. */
          mark: Mark.nullable(),
          revision: z.int(),
          marked_by: PersonId,
          marked_at: Instant,
          charged_hours: Decimal,
        }),
      ),
    }),
    STATS,
  ),
  leaveChanged: event(
    'clazz.leave.changed',
    'Leave was requested, decided or cancelled',
    z.object({
      clazz_id: ID,
      leaves: z.array(
        z.object({
          id: ID,
          clazz_id: ID,
          lesson_id: ID,
          student_id: PersonId,
          status: z.enum(LEAVE_STATUSES),
          in_time: z.boolean(),
          requested_at: Instant,
          decided_by: PersonId.nullable(),
          decided_at: Instant.nullable(),
          /** The lesson that the missed one is made up for at; `null` while none is booked. */
          make_up_lesson_id: ID.nullable().optional(),
        }),
      ),
    }),
    STATS,
  ),
  hoursMoved: event(
    'clazz.hours.moved',
    'Entries were added to one student’s ledger; the aggregate is the student',
    z.object({
      student_id: PersonId,
      balance: Decimal,
      entries: z.array(
        z.object({
          id: ID,
          kind: z.enum(ENTRY_KINDS),
          lot_id: z.string().nullable(),
          amount: Decimal,
          lesson_id: z.string().nullable(),
          clazz_id: z.string().nullable(),
          created_at: Instant,
        }),
      ),
      /** State of every lot the entries touched. */
      lots: z.array(
        z.object({
          id: ID,
          kind: z.string(),
          granted: Decimal,
          remaining: Decimal,
          expires_at: Instant.nullable(),
        }),
      ),
    }),
    STATS,
  ),
  relationChanged: event(
    'clazz.relation.changed',
    'Teacher–student relations of one class were opened or closed',
    z.object({
      clazz_id: ID,
      relations: z.array(
        Period.extend({ teacher_id: PersonId, student_id: PersonId, role: z.enum(['lead', 'assistant']) }),
      ),
    }),
  ),
  audited: event(
    'clazz.audit.recorded',
    'Something happened that the audit trail keeps',
    z.object({
      clazz_id: ID,
      entries: z.array(
        z.object({
          action: z.enum(['create', 'read', 'update', 'delete']),
          entity: z.enum(['clazz', 'enrolment', 'lesson', 'roll_call', 'leave', 'relation']),
          entity_id: z.string(),
          changes: z.record(z.string(), z.object({ before: z.unknown(), after: z.unknown() })),
        }),
      ),
      actor_roles: z.array(Role),
      ip: z.string().nullable(),
      reason: z.string().nullable(),
      trace_id: z.string(),
    }),
    { log: 'audit' },
  ),
};
