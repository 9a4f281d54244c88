import { hourCalls, ledgerCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { adjustHours } from './adjust-hours.ts';
import { expireHours } from './expire-hours.ts';
import { getHourAccount } from './get-hour-account.ts';
import { getHourSummary } from './get-hour-summary.ts';
import { grantHours, grantHoursInBulk } from './grant-hours.ts';
import { listHourAccounts } from './list-hour-accounts.ts';
import { listHourEntries, listStudentHourEntries } from './list-hour-entries.ts';
import { getReceipt } from './receipts.ts';
import { quoteRefund, refundHours } from './refund-hours.ts';
import { transferHours } from './transfer-hours.ts';
import { undoGrant } from './undo-grant.ts';

/** Hour accounts, the ledger, receipts and refunds. */
export const hoursModule: Module = {
  routes: [
    ...routes(hourCalls, {
      grantHours,
      grantHoursInBulk,
      undoGrant,
      getHourAccount,
      listStudentHourEntries,
      transferHours,
      adjustHours,
      quoteRefund,
      refundHours,
    }),
    ...routes(ledgerCalls, { listHourAccounts, listHourEntries, getHourSummary, getReceipt }),
  ],
  jobs: [expireHours],
};
