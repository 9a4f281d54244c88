import { z } from 'zod';
import { event } from '../event.ts';
import { Decimal, ID, Instant, PersonId, Role } from '../scalars.ts';
import { AuditEntity, AuditText } from './audit.calls.ts';
import { Room } from './room.calls.ts';
import { Clazz, Enrolment, ENTRY_KINDS, LEAVE_STATUSES, Lesson, Mark, TEACHING_ROLES } from './clazz.schema.ts';
import { MemberStatus } from './member.calls.ts';

const STATS = { feeds: ['stats'] };
/** An earlier version of an event, published once per record. The history contains it, and readers still accept it. */
const replacedBy = (name: string) => ({ replaced_by: `${name}.v2` });
const VERSION_2 = { version: 2 };
const AUDIT = { log: 'audit' as const };

/** A half-open period `[since, until)`; `until` is null while it lasts. */
const Period = z.object({ since: Instant, until: Instant.nullable() });

export const RevisedMark = z.object({
  student_id: PersonId,
  /** `null`: the mark no longer counts, for example because the lesson was cancelled. */
  mark: Mark.nullable(),
  revision: z.int(),
  charged_hours: Decimal,
});

export const MovedLot = z.object({
  id: ID,
  kind: z.string(),
  granted: Decimal,
  remaining: Decimal,
  expires_at: Instant.nullable(),
});

export const ChangedLeave = z.object({
  id: ID,
  clazz_id: ID,
  lesson_id: ID,
  student_id: PersonId,
  status: z.enum(LEAVE_STATUSES),
  in_time: z.boolean(),
  requested_at: Instant,
  decided_by: PersonId.nullable(),
  decided_at: Instant.nullable(),
  /** The booked make-up lesson; `null` if none is booked. */
  make_up_lesson_id: ID.nullable().optional(),
});

/** One record of the audit log: an action on one entity. */
const AuditRecord = z.object({
  action: z.enum(['create', 'read', 'update', 'delete']),
  entity: z.enum(['clazz', 'enrolment', 'lesson', 'roll_call', 'leave', 'relation']),
  entity_id: z.string(),
  changes: z.record(z.string(), z.object({ before: z.unknown(), after: z.unknown() })),
});

const AuditOrigin = z.object({
  actor_roles: z.array(Role),
  ip: z.string().nullable(),
  trace_id: z.string(),
});

/**
 * Events contain the whole state of each changed record, so that a projection can be rebuilt from the last event of
 * each record. A transaction publishes one event of each type; above about 1 MB it is split. Events other than hours
 * and audit are published once per class, and the aggregate is the class: all events of one class arrive in order. Of
 * two states of one record, the one with the higher `sequence` is later, for any aggregate.
 */
export const clazzEvents = {
  clazzChanged: event(
    'clazz.clazz.changed',
    'A class was created, updated, deleted, or changed its status',
    z.object({
      change: z.enum(['created', 'updated', 'activated', 'completed', 'reopened', 'cancelled', 'deleted']),
      clazz: Clazz,
    }),
    STATS,
  ),
  enrolmentChanged: event(
    'clazz.enrolment.changed',
    'Enrolments of one class changed. `periods` are the times in which each student belongs to it',
    z.object({
      clazz_id: ID,
      enrolments: z.array(Enrolment.extend({ periods: z.array(Period) })),
    }),
    STATS,
  ),
  lessonChanged: event(
    'clazz.lesson.changed',
    'Lessons of one class changed. They were created, updated, held, cancelled or restored',
    z.object({ clazz_id: ID, lessons: z.array(Lesson) }),
    STATS,
  ),
  lessonDeleted: event(
    'clazz.lesson.deleted',
    'Lessons of one class were deleted: new ones, or all with the class',
    z.object({ clazz_id: ID, lesson_ids: z.array(ID) }),
    STATS,
  ),
  rollCallRecorded: event(
    'clazz.roll_call.recorded',
    'Marks of one lesson were set or revised. Contains only the changed marks',
    z.object({
      clazz_id: ID,
      lesson: Lesson,
      marks: z.array(RevisedMark.extend({ marked_by: PersonId, marked_at: Instant })),
    }),
    { ...STATS, ...replacedBy('clazz.roll_call.recorded') },
  ),
  rollCallsRecorded: event(
    'clazz.roll_call.recorded',
    'Marks at lessons of one class were set or revised. Contains only the changed marks',
    z.object({
      clazz_id: ID,
      marked_by: PersonId,
      marked_at: Instant,
      lessons: z.array(z.object({ lesson: Lesson, marks: z.array(RevisedMark) })),
    }),
    { ...STATS, ...VERSION_2 },
  ),
  leaveChanged: event(
    'clazz.leave.changed',
    'Leaves of one class changed. They were requested, decided, reopened or cancelled, or got or lost a make-up booking',
    z.object({
      clazz_id: ID,
      leaves: z.array(ChangedLeave),
    }),
    STATS,
  ),
  hoursMoved: event(
    'clazz.hours.moved',
    'Entries were added to the ledger of one student. The aggregate is the student',
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
      /** State of each lot that the entries changed. */
      lots: z.array(MovedLot),
    }),
    { ...STATS, ...replacedBy('clazz.hours.moved') },
  ),
  accountsMoved: event(
    'clazz.hours.moved',
    'Entries were added to ledgers. The aggregate is the class whose lessons caused them, else the student, else the organization',
    z.object({
      created_at: Instant,
      /** Lesson and class of all charges and reversals; `null` if there are several or none. */
      lesson_id: ID.nullable(),
      clazz_id: ID.nullable(),
      accounts: z.array(
        z.object({
          student_id: PersonId,
          /**
           * Balance after these entries. `granted` and `consumed` are totals: all grants, and charges minus reversals.
           */
          balance: Decimal,
          granted: Decimal,
          consumed: Decimal,
          entries: z.array(
            z.object({
              id: ID,
              kind: z.enum(ENTRY_KINDS),
              lot_id: ID.nullable(),
              amount: Decimal,
              /** Set if the event does not contain one lesson and class for all entries. */
              lesson_id: ID.optional(),
              clazz_id: ID.optional(),
            }),
          ),
          /** State of each lot that the entries changed. */
          lots: z.array(MovedLot),
        }),
      ),
    }),
    { ...STATS, ...VERSION_2 },
  ),
  roomChanged: event(
    'clazz.room.changed',
    'A room was created, updated or deleted. The aggregate is the organization',
    z.object({ change: z.enum(['created', 'updated', 'deleted']), room: Room.omit({ note: true }) }),
  ),
  relationChanged: event(
    'clazz.relation.changed',
    'Teacher–student relations of one class began or ended',
    z.object({
      clazz_id: ID,
      relations: z.array(Period.extend({ teacher_id: PersonId, student_id: PersonId, role: z.enum(TEACHING_ROLES) })),
    }),
  ),
  memberChanged: event(
    'clazz.member.changed',
    'People were added or changed in the directory. Published for new people and changes of a person. Contains no contact data',
    z.object({
      members: z.array(
        z.object({
          user_id: PersonId,
          role: Role,
          roles: z.array(Role),
          display_name: z.string(),
          status: MemberStatus,
        }),
      ),
    }),
    STATS,
  ),
  memberErased: event(
    'clazz.member.erased',
    'A person was erased or deleted. Name and free texts are removed, also from past events. Readers must remove their copies',
    z.object({ user_id: PersonId, erased_at: Instant }),
    STATS,
  ),
  audited: event(
    'clazz.audit.recorded',
    'Actions for the audit log',
    AuditOrigin.extend({ clazz_id: ID, entries: z.array(AuditRecord), reason: z.string().nullable() }),
    { ...AUDIT, ...replacedBy('clazz.audit.recorded') },
  ),
  auditRecorded: event(
    'clazz.audit.recorded',
    'Actions of one transaction for the audit log. The aggregate is the class, or the organization if it concerns several or none',
    AuditOrigin.extend({
      entries: z.array(
        AuditRecord.extend({
          entity: AuditEntity,
          /** `null`: the action concerns all of `clazz_ids`. */
          clazz_id: ID.nullable(),
          clazz_ids: z.array(ID).optional(),
          /** Free texts of the entry. They are stored beside the audit log and are `null` in the entry. */
          texts: z.array(AuditText).optional(),
          reason: z.string().nullable(),
        }),
      ),
    }),
    { ...AUDIT, ...VERSION_2 },
  ),
};
