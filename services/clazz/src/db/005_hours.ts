import { migration, tenantTable } from '@teaching/kit';

const APPEND_ONLY = { app: 'select, insert', worker: 'select, insert' };
const NO_DELETE = { app: 'select, insert, update', worker: 'select, insert, update' };

/** Policy, roll call, lesson hours and leave (domain rules, section 6). Constraints enforce what must always hold. */
export const hours = migration(
  '005_hours',
  `
  -- Version 1 is the built-in default and has no row.
  create table policy (
    org_id uuid not null,
    version int not null check (version > 1),
    settings jsonb not null,
    created_at timestamptz(3) not null,
    created_by text not null,
    primary key (org_id, version)
  );
  ${tenantTable('clazz', 'policy', APPEND_ONLY)}

  -- A mark is the newest revision; none is ever changed, and the numbers have no gap.
  create table mark_revision (
    org_id uuid not null,
    lesson_id uuid not null,
    student_id text not null,
    revision int not null check (revision > 0),
    previous int generated always as (nullif(revision - 1, 0)) stored,
    -- Null: the mark no longer counts, because the lesson was cancelled or the student is not listed.
    mark text check (mark in ('present', 'late', 'absent', 'leave', 'makeup', 'trial')),
    note text,
    -- What the charge was derived from: the line of the policy, and the lesson's hours.
    charge_rule text,
    lesson_hours numeric(12, 2) not null,
    charged_hours numeric(12, 2) not null check (charged_hours >= 0),
    policy_version int not null,
    marked_by text not null,
    marked_at timestamptz(3) not null,
    reason text,
    primary key (org_id, lesson_id, student_id, revision),
    foreign key (org_id, lesson_id) references lesson,
    foreign key (org_id, lesson_id, student_id, previous) references mark_revision
  );
  ${tenantTable('clazz', 'mark_revision', APPEND_ONLY)}

  create table hour_lot (
    org_id uuid not null,
    student_id text not null,
    id uuid not null,
    -- The entry that brought the lot; the order of age.
    seq int not null,
    kind text not null check (kind in ('paid', 'gift')),
    -- Set: only for lessons of classes of this course.
    course_id uuid,
    granted numeric(12, 2) not null check (granted > 0),
    remaining numeric(12, 2) not null check (remaining between 0 and granted),
    -- For all hours granted.
    price_minor bigint not null check (price_minor >= 0),
    currency text not null,
    package_id uuid,
    package_version int,
    expires_at timestamptz(3),
    created_at timestamptz(3) not null,
    primary key (org_id, student_id, id)
  ) with (fillfactor = 85);
  create index hour_lot_due on hour_lot (expires_at) where remaining > 0 and expires_at is not null;
  ${tenantTable('clazz', 'hour_lot', NO_DELETE)}

  -- The ledger. Each entry continues from the balance of the one before it, so the balance of the last
  -- one is the sum of all; the account below can hold no other balance.
  create table hour_entry (
    org_id uuid not null,
    student_id text not null,
    seq int not null check (seq > 0),
    previous int generated always as (nullif(seq - 1, 0)) stored,
    id uuid not null,
    kind text not null check (kind in
      ('grant', 'consume', 'reverse', 'expire', 'refund', 'transfer_out', 'transfer_in', 'adjust', 'settle')),
    lot_id uuid,
    amount numeric(12, 2) not null check (amount <> 0),
    balance_before numeric(12, 2) not null,
    balance_after numeric(12, 2) not null check (balance_after = balance_before + amount),
    lesson_id uuid,
    mark_revision int,
    policy_version int,
    lot_expires_at timestamptz(3),
    actor_id text not null,
    reason text,
    created_at timestamptz(3) not null,
    primary key (org_id, student_id, seq),
    unique (org_id, student_id, seq, balance_after),
    check (seq > 1 or balance_before = 0),
    check ((lesson_id is not null) = (kind in ('consume', 'reverse'))),
    check ((lesson_id is null) = (mark_revision is null)),
    foreign key (org_id, student_id, previous, balance_before)
      references hour_entry (org_id, student_id, seq, balance_after),
    foreign key (org_id, student_id, lot_id) references hour_lot,
    foreign key (org_id, lesson_id, student_id, mark_revision) references mark_revision
  );
  create unique index hour_entry_once on hour_entry (org_id, lesson_id, student_id, mark_revision, kind, lot_id)
    nulls not distinct where lesson_id is not null;
  -- An expiry takes a lot's hours once; a lot that got hours back has a new expiry.
  create unique index hour_entry_expiry on hour_entry (org_id, lot_id, lot_expires_at) where kind = 'expire';
  ${tenantTable('clazz', 'hour_entry', APPEND_ONLY)}

  -- One row for each student with a ledger; its lock orders everything that moves hours.
  create table hour_account (
    org_id uuid not null,
    student_id text not null,
    last_seq int,
    balance numeric(12, 2) not null default 0,
    primary key (org_id, student_id),
    check (last_seq is not null or balance = 0),
    foreign key (org_id, student_id, last_seq, balance)
      references hour_entry (org_id, student_id, seq, balance_after)
  ) with (fillfactor = 85);
  ${tenantTable('clazz', 'hour_account', NO_DELETE)}

  -- Which lots stand behind a charge now, so that it can be given back there. Without lot it is a debt,
  -- until a later inflow takes it over.
  create table hour_draw (
    org_id uuid not null,
    student_id text not null,
    id uuid not null,
    -- The entry that took the hours; debts are settled in this order.
    seq int not null,
    lesson_id uuid,
    mark_revision int,
    course_id uuid,
    lot_id uuid,
    amount numeric(12, 2) not null check (amount > 0),
    primary key (org_id, student_id, id),
    check (lesson_id is not null or lot_id is null),
    foreign key (org_id, student_id, lot_id) references hour_lot,
    foreign key (org_id, lesson_id, student_id, mark_revision) references mark_revision
  );
  create unique index hour_draw_lesson on hour_draw (org_id, lesson_id, student_id, lot_id)
    nulls not distinct where lesson_id is not null;
  create index hour_draw_debt on hour_draw (org_id, student_id) where lot_id is null;
  ${tenantTable('clazz', 'hour_draw')}

  create table refund_quote (
    org_id uuid not null,
    id uuid not null,
    student_id text not null,
    quote jsonb not null,
    created_at timestamptz(3) not null,
    created_by text not null,
    refunded_at timestamptz(3),
    primary key (org_id, id)
  );
  ${tenantTable('clazz', 'refund_quote', { app: 'select, insert, update' })}

  create table leave (
    org_id uuid not null,
    id uuid not null,
    clazz_id uuid not null,
    lesson_id uuid not null,
    student_id text not null,
    status text not null check (status in ('pending', 'approved', 'rejected', 'cancelled')),
    -- The status it had when its lesson was cancelled or its student left; it returns with them.
    ended_from text check (ended_from in ('pending', 'approved')),
    in_time boolean not null,
    reason text not null,
    requested_by text not null,
    requested_at timestamptz(3) not null,
    decided_by text,
    decided_at timestamptz(3),
    policy_version int not null,
    version int not null default 1,
    primary key (org_id, id),
    check (ended_from is null or status = 'cancelled'),
    foreign key (org_id, lesson_id) references lesson on delete cascade
  );
  create unique index leave_living on leave (org_id, lesson_id, student_id) where status in ('pending', 'approved');
  create index leave_student on leave (org_id, student_id, requested_at);
  create index leave_clazz on leave (org_id, clazz_id, requested_at);
  create index leave_requested on leave (org_id, requested_at);
  ${tenantTable('clazz', 'leave')}

  -- One credit for each approved leave; used for one lesson at a time.
  create table make_up_credit (
    org_id uuid not null,
    leave_id uuid not null,
    student_id text not null,
    status text not null check (status in ('available', 'used', 'withdrawn')),
    expires_at timestamptz(3) not null,
    lesson_id uuid,
    primary key (org_id, leave_id),
    check ((status = 'used') = (lesson_id is not null)),
    foreign key (org_id, leave_id) references leave on delete cascade,
    foreign key (org_id, lesson_id) references lesson
  );
  create index make_up_student on make_up_credit (org_id, student_id);
  create unique index make_up_guest on make_up_credit (org_id, lesson_id, student_id) where lesson_id is not null;
  ${tenantTable('clazz', 'make_up_credit')}
`,
);
