import type { Mark } from '@teaching/contracts';

/** States of records, as the projector stores them. Instants are RFC 3339, hours decimal text. */
interface InOrg {
  org_id: string;
}

export interface ClazzRow extends InOrg {
  id: string;
  name: string;
  status: string;
  lead_teacher_id: string;
  version: number;
  seq: number;
}

export interface LessonRow extends InOrg {
  id: string;
  clazz_id: string;
  teacher_id: string;
  starts_at: string;
  ends_at: string;
  hours: string;
  status: string;
  version: number;
  seq: number;
}

export interface MarkRow extends InOrg {
  lesson_id: string;
  student_id: string;
  mark: Mark | null;
  marked_by: string;
  marked_at: string;
  charged_hours: string;
  revision: number;
  seq: number;
}

export interface RollCallRow extends InOrg {
  lesson_id: string;
  taken_at: string;
}

export interface EnrolmentRow extends InOrg {
  id: string;
  clazz_id: string;
  student_id: string;
  status: string;
  /** `tstzmultirange` text. */
  during: string;
  seq: number;
}

export interface LeaveRow extends InOrg {
  id: string;
  clazz_id: string;
  lesson_id: string;
  student_id: string;
  status: string;
  in_time: boolean;
  requested_at: string;
  decided_by: string | null;
  decided_at: string | null;
  seq: number;
}

export interface EntryRow extends InOrg {
  id: string;
  student_id: string;
  kind: string;
  lot_id: string | null;
  amount: string;
  lesson_id: string | null;
  clazz_id: string | null;
  created_at: string;
}

export interface LotRow extends InOrg {
  id: string;
  student_id: string;
  kind: string;
  granted: string;
  remaining: string;
  expires_at: string | null;
  seq: number;
}

export interface MarkingRow extends InOrg {
  submission_id: string;
  marker_id: string;
  student_id: string;
  submitted_at: string;
  marked_at: string;
  revision: number;
}

export interface MemberRow extends InOrg {
  user_id: string;
  display_name: string;
  seq: number;
}

/** What a batch of events comes down to: the last state of each record it tells about. */
export interface Folded {
  clazzes: ClazzRow[];
  lessons: LessonRow[];
  marks: MarkRow[];
  roll_calls: RollCallRow[];
  enrolments: EnrolmentRow[];
  leaves: LeaveRow[];
  entries: EntryRow[];
  lots: LotRow[];
  markings: MarkingRow[];
  members: MemberRow[];
}
