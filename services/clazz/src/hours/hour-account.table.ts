import { defineEntity, p } from '@mikro-orm/postgresql';
import { hundredths, table } from '@teaching/kit';

/** A sum over the life of an account may outgrow one balance. */
const sum = () => hundredths().precision(16);

/** One row for each student with a ledger; its lock orders everything that moves hours. */
export const HOUR_ACCOUNT = table(
  defineEntity({
    name: 'HourAccount',
    tableName: 'hour_account',
    properties: {
      org_id: p.uuid().primary(),
      student_id: p.text().primary(),
      last_seq: p.integer().nullable(),
      balance: hundredths(),
      /** Hours ever granted, and charges less what was given back. */
      granted: sum(),
      consumed: sum(),
    },
  }),
);
