import { isTrue, present, same } from '../expectation.ts';
import type { Stage } from '../scenario-stage.ts';

/** The value of the remaining hours, computed lot by lot. */
export const refund = async ({ as, say, chapter }: Stage): Promise<void> => {
  chapter('A refund quote with its working');
  const account = (await as.amina.getHourAccount({ path: { student_id: 'amina' } })).data;
  say(`${account.balance} of 20.00 hours remain.`);
  const quote = (await as.sun.quoteRefund({ body: { student_id: 'amina' } })).data;
  const lot = present('the lot', quote.lots[0]);
  say(`The working: ${lot.working}`);
  const wanted = Math.round((300_000 * Number(account.balance)) / 20);
  same('the amount', [quote.amount_minor, quote.currency, lot.remaining], [wanted, 'EUR', account.balance]);

  chapter('Questions of the office: debts, sales, a receipt');
  const debts = (await as.sun.listHourAccounts({ query: { in_debt: 'true' } })).data.items;
  say(`Students who owe hours: ${debts.map((it) => `${it.student_id} ${it.owed}`).join(', ')}.`);
  isTrue(
    'Ben, who bought none, owes hours',
    debts.some((it) => it.student_id === 'ben'),
  );
  const month = (await as.sun.getHourSummary({})).data;
  same('sold this month', month.money, [{ currency: 'EUR', sold_minor: 300_000, refunded_minor: 0 }]);
  const sales = (await as.sun.listHourEntries({ query: { kind: 'grant', student_id: 'amina' } })).data.items;
  const sale = present('the sale', sales[0]);
  const receipt = (await as.amina.getReceipt({ path: { entry_id: sale.id } })).data;
  say(`Receipt ${receipt.year}-${receipt.number}: ${receipt.hours} hours of “${receipt.package_title}”.`);
  same('the first of the year', [receipt.number, receipt.price_minor, receipt.currency], [1, 300_000, 'EUR']);
};
