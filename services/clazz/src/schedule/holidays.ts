import { type holidayCalls, Problem } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';

interface Holiday {
  date: string;
  name: string;
}

const READ = statement<Holiday>('select date, name from holiday where org_id = $1 order by date');
const CLEAR = statement('delete from holiday where org_id = $1 and date <> all($2::date[])');
const STORE = statement(
  `insert into holiday (org_id, date, name) select $1, h.* from unnest($2::date[], $3::text[]) as h
   on conflict (org_id, date) do update set name = excluded.name`,
);

export const readHolidays = (session: Session): Promise<Holiday[]> => session.query(READ, session.org_id);

export const getHolidays: Handler<typeof holidayCalls.get> = async (_input, session) => ({
  holidays: await readHolidays(session),
});

export const putHolidays: Handler<typeof holidayCalls.put> = async ({ body }, session) => {
  const dates = body.holidays.map((row) => row.date);
  const errors = dates.flatMap((date, index) =>
    dates.indexOf(date) < index ? [{ path: `/body/holidays/${index}/date`, message: 'appears twice in the list' }] : [],
  );
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
  const names = body.holidays.map((row) => row.name);
  session.run(CLEAR, session.org_id, dates);
  session.run(STORE, session.org_id, dates, names);
  return { holidays: await readHolidays(session) };
};
