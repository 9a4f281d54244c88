import { fromHundredths, Leave, type leaveCalls, type ListedLeave, notFound, fieldPicker } from '@teaching/contracts';
import {
  notNull,
  equalsAnyOf,
  type Caller,
  type Handler,
  instant,
  nameColumns,
  p,
  pagedList,
  type RowOf,
  type Session,
} from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { chargeOf, chargeRuleOf } from '../cascade/cascade.rules.ts';
import { LEAVE_WITH_OPTIONAL_CREDIT, toLeave, toLeaveState } from '../cascade/lock-seats.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import { quotaUsed } from './leave-request.rules.ts';
import { canDecide } from './leave.rules.ts';

/** SQL: the starts of the lessons near this one for which the student has pending or approved leave, without it. */
const TAKEN = `(select coalesce(jsonb_agg(ol.starts_at), '[]')
    from leave o join lesson ol on ol.org_id = o.org_id and ol.id = o.lesson_id
    where o.org_id = v.org_id and o.student_id = v.student_id and o.status in ('pending', 'approved') and o.id <> v.id
      and ol.starts_at > l.starts_at - interval '31 days' and ol.starts_at < l.starts_at + interval '31 days')`;

const named = nameColumns('v', 'student_id', 'requested_by', 'decided_by', 'cancelled_by', 'called_by');
const ofBooking = (column: string): string =>
  `(select ${column} from lesson where org_id = c.org_id and id = c.lesson_id) as make_up_${column}`;
const SHOWN = {
  ...LEAVE_WITH_OPTIONAL_CREDIT.shape,
  ...named.shape,
  clazz_name: notNull(p.text()),
  lead_teacher_id: notNull(p.text()),
  lesson_starts_at: notNull(instant()),
  lesson_ends_at: notNull(instant()),
  make_up_starts_at: instant().nullable(),
  make_up_ends_at: instant().nullable(),
  lesson_hours: notNull(p.text()),
  leave_in_time: p.text().nullable(),
  leave_late: p.text().nullable(),
  quota_limit: p.integer().nullable(),
  quota_taken: notNull(p.json<string[]>()),
  zone: p.text().nullable(),
};
type Shown = RowOf<typeof SHOWN>;

/** Leave with the data that helps to decide about it, by one statement. */
const listShown = pagedList({
  columns: `${LEAVE_WITH_OPTIONAL_CREDIT.columns}, ${named.columns}, k.name as clazz_name, k.lead_teacher_id,
    l.starts_at as lesson_starts_at, l.ends_at as lesson_ends_at, l.hours::text as lesson_hours,
    ${ofBooking('starts_at')}, ${ofBooking('ends_at')},
    y.settings #>> '{charge,leave_in_time}' as leave_in_time, y.settings #>> '{charge,leave_late}' as leave_late,
    (y.settings #>> '{leave,quota_per_30_days}')::int as quota_limit, ${TAKEN} as quota_taken,
    y.settings ->> 'zone' as zone`,
  shape: SHOWN,
  from: `leave v
    join lesson l on l.org_id = v.org_id and l.id = v.lesson_id
    cross join lateral (select name, lead_teacher_id from clazz where org_id = v.org_id and id = v.clazz_id offset 0) k
    left join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id
    left join lateral (select settings from policy where org_id = v.org_id order by version desc limit 1) y on true`,
  org: 'v.org_id',
  id: { by: 'v.id', type: 'uuid' },
  sorts: { requested_at: { by: 'v.requested_at', type: 'timestamptz' } },
  where: {
    ids: 'v.id = any(?)',
    student_id: equalsAnyOf('v.student_id'),
    clazz_id: equalsAnyOf('v.clazz_id'),
    lesson_id: equalsAnyOf('v.lesson_id'),
    status: equalsAnyOf('v.status'),
    from: 'l.starts_at >= ?',
    to: 'l.starts_at < ?',
  },
});

/** The consequences of an approval under the policy in force, for callers who may decide. */
const forDecider = (row: Shown) => {
  const standard = DEFAULT_POLICY.charge;
  const charge = {
    ...standard,
    leave_in_time: row.leave_in_time ?? standard.leave_in_time,
    leave_late: row.leave_late ?? standard.leave_late,
  };
  const rule = chargeRuleOf('leave', { status: 'approved', in_time: row.in_time });
  return {
    approval: { charge_hours: fromHundredths(chargeOf(row.lesson_hours, rule, { charge })) },
    quota: {
      limit: row.quota_limit,
      used: quotaUsed(row.quota_taken, [row.lesson_starts_at], row.zone ?? DEFAULT_POLICY.zone),
    },
  };
};

const ofLeave = fieldPicker(Leave);

/** The leave as the answer contains it. Only callers who may decide get the consequences of an approval. */
const toListed =
  (caller: Caller, now: Date) =>
  (row: Shown): ListedLeave => {
    const { clazz_name, lesson_starts_at, lesson_ends_at } = row;
    const { student_name, requested_by_name, decided_by_name, cancelled_by_name, called_by_name } = row;
    const people = { student_name, requested_by_name, decided_by_name, cancelled_by_name, called_by_name };
    const { make_up, ...leave } = ofLeave(toLeave(toLeaveState(row), now.toISOString()));
    const booked = { lesson_starts_at: row.make_up_starts_at, lesson_ends_at: row.make_up_ends_at };
    return {
      ...leave,
      make_up: make_up && { ...make_up, ...booked },
      ...people,
      clazz_name,
      lesson_starts_at,
      lesson_ends_at,
      ...(canDecide(caller, row) ? forDecider(row) : {}),
    };
  };

/** Leave that the transaction wrote, as it is read, in the order of `ids`. It is read by one statement. */
export const readWrittenLeaves = async (session: Session, ids: readonly string[]): Promise<ListedLeave[]> => {
  const { caller, now } = session;
  const { items } = await listShown(session, { sort: '-requested_at', limit: ids.length }, { ids });
  const found = new Map(items.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []).map(toListed(caller, now));
};

/** The same for one leave. */
export const readWrittenLeave = async (session: Session, { id }: Pick<Leave, 'id'>): Promise<ListedLeave> => {
  const [written] = await readWrittenLeaves(session, [id]);
  if (written === undefined) throw new Error(`leave ${id} is missing after it was written`);
  return written;
};

/** Staff read any leave, students their own. 404 for other callers. */
export const getLeave: Handler<typeof leaveCalls.getLeave> = async ({ path: { id } }, session) => {
  const { caller, now, access } = session;
  const [found] = (await listShown(session, { sort: '-requested_at', limit: 1 }, { ids: [id] })).items;
  if (found === undefined || !access.allows({ self: found.student_id })) throw notFound('Leave');
  auditRead(session, 'leave', [found.clazz_id], id);
  return toListed(caller, now)(found);
};

export const listLeaves: Handler<typeof leaveCalls.listLeaves> = async ({ query }, session) => {
  const { caller, now } = session;
  const student_id = session.access.requestedPeople(query.student_id);
  const found = await listShown(session, { ...query, sort: '-requested_at' }, { ...query, student_id });
  auditRead(
    session,
    'leave',
    found.items.map((row) => row.clazz_id),
  );
  return { ...found, items: found.items.map(toListed(caller, now)) };
};
