import { present, same } from '../expectation.ts';
import type { Stage } from '../stage.ts';

/** What the hours that are left are worth, worked out lot by lot. */
export const refund = async ({ as, say, chapter }: Stage): Promise<void> => {
  chapter('A refund quote with its working');
  const account = (await as.amina.hour.account({ path: { student_id: 'amina' } })).data;
  say(`${account.balance} of 20.00 hours are left.`);
  const quote = (await as.sun.hour.quoteRefund({ body: { student_id: 'amina' } })).data;
  const lot = present('the lot', quote.lots[0]);
  say(`The working: ${lot.working}`);
  const wanted = Math.round((300_000 * Number(account.balance)) / 20);
  same('the amount', [quote.amount_minor, quote.currency, lot.remaining], [wanted, 'EUR', account.balance]);
};
