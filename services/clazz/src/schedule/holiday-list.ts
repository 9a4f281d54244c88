import type { holidayCalls } from '@teaching/contracts';
import { type Handler, voidResult, type Session, statement } from '@teaching/kit';
import { auditOrg, changesOf } from '../audit/record-audit.ts';
import { policyInForce } from '../policy/policy.ts';
import type { Holidays } from './holiday.rules.ts';
import { HOLIDAY } from './schedule.tables.ts';

const LISTED = HOLIDAY.omit('org_id');
const READ = statement(`select ${LISTED.columns} from holiday where org_id = $1 order by date`, LISTED.shape);
const CLEAR = statement('delete from holiday where org_id = $1 and date <> all($2::date[])');
const STORE = statement(
  `insert into holiday (${HOLIDAY.columns}) select ${HOLIDAY.columns} from ${HOLIDAY.rowsFrom('$1')}
   on conflict (org_id, date) do update set name = excluded.name`,
);

/** Serializes changes of the holidays of one org, so that one of two concurrent lists wins as a whole. */
const ONE_BY_ONE = statement("select own_turn($1, 'holidays')", {
  own_turn: voidResult(),
});

export const readHolidays = (session: Session) => session.query(READ, session.org_id);

/** The holidays with the zone in which they are days: that of the policy. */
export const holidaysInForce = async (session: Session): Promise<Holidays> => {
  const [rows, { zone }] = await Promise.all([readHolidays(session), policyInForce(session, session.org_id)]);
  return { names: new Map(rows.map(({ date, name }) => [date, name])), zone };
};

export const listHolidays: Handler<typeof holidayCalls.listHolidays> = async (_input, session) => ({
  holidays: await readHolidays(session),
});

type HolidayList = readonly { date: string; name: string }[];

const byDate = (holidays: HolidayList) => Object.fromEntries(holidays.map(({ date, name }) => [date, name]));

/** Replaces the list of holidays. */
export const saveHolidays = async (session: Session, holidays: HolidayList): Promise<void> => {
  const { org_id } = session;
  session.run(ONE_BY_ONE, org_id);
  const before = await readHolidays(session);
  session.run(
    CLEAR,
    org_id,
    holidays.map((row) => row.date),
  );
  session.run(STORE, HOLIDAY.toJson(holidays.map((row) => ({ org_id, ...row }))));
  const changes = changesOf(byDate(before), byDate(holidays));
  auditOrg(session, [{ action: 'update', entity: 'holiday', entity_id: org_id, reason: null, changes }]);
};
