import { z } from 'zod';
import { event } from '../event.ts';
import { Decimal, ID, Instant, PersonId, Role } from '../scalars.ts';
import { AuditEntity, AuditText } from './audit.calls.ts';
import { Room } from './room.calls.ts';
import { Clazz, Enrolment, ENTRY_KINDS, LEAVE_STATUSES, Lesson, Mark, TEACHING_ROLES } from './clazz.schema.ts';
import { MemberStatus } from './member.calls.ts';

const STATS = { feeds: ['stats'] };
/** The first form of an event that is told for a whole transaction now. It stays in the history and is still read. */
const replacedBy = (name: string) => ({ replaced_by: `${name}.v2` });
const VERSION_2 = { version: 2 };
const AUDIT = { log: 'audit' as const };

/** Half-open `[since, until)`; `until` null while it lasts. */
const Period = z.object({ since: Instant, until: Instant.nullable() });

export const RevisedMark = z.object({
  student_id: PersonId,
  /** `null`: the mark no longer counts, e.g. because the lesson was cancelled. */
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
  /** The lesson that the missed one is made up for at; `null` while none is booked. */
  make_up_lesson_id: ID.nullable().optional(),
});

/** What the trail keeps of one thing that was done or read. */
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
 * Events carry the whole state of what changed, so that a projection can be rebuilt from the last one of
 * each record. A transaction tells each kind once, as one event (about 1 MB at most, then in parts). Except
 * for hours and audit, that is once for each class, and the aggregate is the class: all events of one class
 * arrive in order. Of two states of one record the one with the higher `sequence` is the later, whatever the
 * aggregate.
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
    'Lessons of one class were created, edited, held or cancelled',
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
      marks: z.array(RevisedMark.extend({ marked_by: PersonId, marked_at: Instant })),
    }),
    { ...STATS, ...replacedBy('clazz.roll_call.recorded') },
  ),
  rollCallsRecorded: event(
    'clazz.roll_call.recorded',
    'Marks at lessons of one class were set or revised; only the marks that changed',
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
    'Leave was requested, decided or cancelled',
    z.object({
      clazz_id: ID,
      leaves: z.array(ChangedLeave),
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
      lots: z.array(MovedLot),
    }),
    { ...STATS, ...replacedBy('clazz.hours.moved') },
  ),
  accountsMoved: event(
    'clazz.hours.moved',
    'Entries were added to the ledgers of one or more students; the aggregate is the class whose lessons caused it, else the student, else the organization',
    z.object({
      created_at: Instant,
      /** Of all entries that charge or give back; `null` when they are of several lessons or classes, or there is none. */
      lesson_id: ID.nullable(),
      clazz_id: ID.nullable(),
      accounts: z.array(
        z.object({
          student_id: PersonId,
          /** As it stands after these entries, like both sums: hours ever granted, and charges less what was given back. */
          balance: Decimal,
          granted: Decimal,
          consumed: Decimal,
          entries: z.array(
            z.object({
              id: ID,
              kind: z.enum(ENTRY_KINDS),
              lot_id: ID.nullable(),
              amount: Decimal,
              /** Where the event does not name them for all. */
              lesson_id: ID.optional(),
              clazz_id: ID.optional(),
            }),
          ),
          /** State of every lot the entries touched. */
          lots: z.array(MovedLot),
        }),
      ),
    }),
    { ...STATS, ...VERSION_2 },
  ),
  roomChanged: event(
    'clazz.room.changed',
    'A room was put on the list of rooms, changed, or taken off; the aggregate is the organization',
    z.object({ change: z.enum(['created', 'updated', 'deleted']), room: Room.omit({ note: true }) }),
  ),
  relationChanged: event(
    'clazz.relation.changed',
    'Teacher–student relations of one class were opened or closed',
    z.object({
      clazz_id: ID,
      relations: z.array(Period.extend({ teacher_id: PersonId, student_id: PersonId, role: z.enum(TEACHING_ROLES) })),
    }),
  ),
  memberChanged: event(
    'clazz.member.changed',
    'People were added to the directory, renamed, or became active or inactive; nothing else of them is told',
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
    'A person was erased: name and free texts are gone, also from what was told before; whoever keeps copies removes them',
    z.object({ user_id: PersonId, erased_at: Instant }),
    STATS,
  ),
  audited: event(
    'clazz.audit.recorded',
    'Something happened that the audit trail keeps',
    AuditOrigin.extend({ clazz_id: ID, entries: z.array(AuditRecord), reason: z.string().nullable() }),
    { ...AUDIT, ...replacedBy('clazz.audit.recorded') },
  ),
  auditRecorded: event(
    'clazz.audit.recorded',
    'All that one transaction did or read that the audit trail keeps; the aggregate is the class, or the organization when it concerned several',
    AuditOrigin.extend({
      entries: z.array(
        AuditRecord.extend({
          entity: AuditEntity,
          /** `null`: a list that concerned all of `clazz_ids`. */
          clazz_id: ID.nullable(),
          clazz_ids: z.array(ID).optional(),
          /** Free texts, which are `null` in the entry: they lie beside the trail. */
          texts: z.array(AuditText).optional(),
          reason: z.string().nullable(),
        }),
      ),
    }),
    { ...AUDIT, ...VERSION_2 },
  ),
};
