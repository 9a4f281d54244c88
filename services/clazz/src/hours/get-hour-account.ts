import { type hourCalls, HourLot, type Output } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { namesOf } from '../record/member-names.ts';
import { auditAccountRead, canSeePrices, requireAccountReader } from './account-access.ts';
import { sumsFrom } from './amounts.rules.ts';
import { expireDueHours } from './expire-hours.ts';
import { HOUR_ACCOUNT, HOUR_LOT } from './hours.tables.ts';
import { withPriceIfVisible } from './prices.rules.ts';

const SHOWN = HOUR_LOT.contractColumns(HourLot);
const LOTS = statement(
  `select ${SHOWN.columns} from hour_lot where org_id = $1 and student_id = $2 order by seq`,
  SHOWN.shape,
);

/** The account of a student as the answer contains it. */
export const readAccount = async (
  session: Session,
  student_id: string,
): Promise<Output<typeof hourCalls.getHourAccount>> => {
  const [account, lots, nameOf, isShown] = await Promise.all([
    session.find(HOUR_ACCOUNT, student_id),
    session.query(LOTS, session.org_id, student_id),
    namesOf(session, session.org_id, [student_id]),
    canSeePrices(session),
  ]);
  const balance = account?.balance ?? '0.00';
  const hours = { ...sumsFrom((name) => account?.[name] ?? '0.00'), remaining: balance };
  return { student_id, student_name: nameOf(student_id), balance, hours, lots: lots.map(withPriceIfVisible(isShown)) };
};

export const getHourAccount: Handler<typeof hourCalls.getHourAccount> = async ({ path: { student_id } }, session) => {
  await requireAccountReader(session, student_id);
  await expireDueHours(session, student_id);
  const [account] = await Promise.all([readAccount(session, student_id), auditAccountRead(session, student_id)]);
  return account;
};
