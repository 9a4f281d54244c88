import { isTrue, present, refused, same } from '../expectation.ts';
import type { Stage } from '../scenario-stage.ts';
import type { Running } from './clazz.ts';
import type { Sold } from './packages.ts';

const ACCOUNT = { path: { student_id: 'amina' } };

/** Hours are bought, charged by roll call and given back by a correction. */
export const hours = async (stage: Stage, { lessons }: Running, sold: Sold): Promise<void> => {
  const { as, say, chapter } = stage;
  chapter('Lesson hours: bought, charged by roll call, corrected');

  say('Twenty hours are bought by version 1 of the package: its price holds, although version 2 was published.');
  const body = { student_id: 'amina', hours: '20', package_id: sold.package_id, package_version: sold.version };
  const bought = (await as.sun.grantHours({ body }, { idempotency_key: `sale-${stage.org}` })).data;
  same('price and balance', [bought.price_minor, bought.currency, bought.balance], [300_000, 'EUR', '20.00']);
  const again = (await as.sun.grantHours({ body }, { idempotency_key: `sale-${stage.org}` })).data;
  same('the same sale sent again', [again.id, again.balance], [bought.id, '20.00']);

  say('Roll call of today’s lesson: one call for the class, charged by the policy in force.');
  const today = { lesson_id: lessons.today };
  const marks = [
    { student_id: 'amina', mark: 'present' as const },
    { student_id: 'ben', mark: 'absent' as const },
  ];
  const taken = (await as.li.submitRollCall({ path: today, body: { marks } })).data.marks;
  same('charged', taken.find((row) => row.student_id === 'amina')?.charged_hours, '1.00');
  const repeated = (await as.li.submitRollCall({ path: today, body: { marks } })).data.marks;
  same(
    'revisions after the same roll call again',
    repeated.filter((row) => row.mark !== null).map((row) => row.revision),
    [1, 1],
  );

  say('The roll call of a lesson twelve days ago is late, so only a supervisor may enter it, with a reason.');
  const path = { lesson_id: lessons.long_ago };
  const ben = { student_id: 'ben', mark: 'present' as const };
  const absent = { marks: [{ student_id: 'amina', mark: 'absent' as const }, ben] };
  await refused(as.li.submitRollCall({ path, body: absent }), 409, 'edit_window_over');
  await as.sun.submitRollCall({ path, body: { ...absent, reason: 'Entered from the paper list' } });
  same('balance', (await as.amina.getHourAccount(ACCOUNT)).data.balance, '18.00');

  say('A week later she brings a note. Only a supervisor may change charges so late. The leave corrects the mark.');
  const ill = { lesson_id: lessons.long_ago, reason: 'Was ill that morning, note from the doctor' };
  await refused(as.amina.requestLeave({ body: ill }), 409, 'edit_window_over');
  const entered = await as.sun.requestLeave({ body: { ...ill, student_id: 'amina' } });
  const late = present('a leave', entered.data.items[0]);
  same('in time', late.in_time, false);
  const reason = { reason: 'The note is in the office' };
  const approved = (await as.sun.approveLeave({ path: { id: late.id }, body: reason })).data;
  same('leave, and a credit to make up for it', [approved.status, approved.make_up?.status], ['approved', 'available']);
  const fitting = (await as.amina.listMakeUpOptions({ path: { id: approved.id } })).data.items;
  same('lessons to make up in', fitting, []);

  say('The correction is a new revision: it returns the hour to its lot and charges half an hour.');
  const history = (await as.sun.listRollCallRevisions({ path })).data.items;
  const hers = history.filter((row) => row.student_id === 'amina');
  same(
    'revisions',
    hers.map((row) => [row.revision, row.mark, row.charged_hours]),
    [
      [1, 'absent', '1.00'],
      [2, 'leave', '0.50'],
    ],
  );
  const entries = (await as.amina.listStudentHourEntries(ACCOUNT)).data.items.toReversed();
  same(
    'the ledger',
    entries.map((row) => `${row.kind} ${row.amount}`),
    ['grant 20.00', 'consume -1.00', 'consume -1.00', 'reverse 1.00', 'consume -0.50'],
  );
  isTrue('the balance is its last line', present('an entry', entries.at(-1)).balance_after === '18.50');
};
