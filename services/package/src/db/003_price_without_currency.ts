import { migration } from '@teaching/kit';

/** A package without a price has no currency. Rows that were stored before keep theirs. */
export const priceWithoutCurrency = migration(
  '102_price_without_currency',
  `
  alter table course_package alter column currency drop not null,
    add check (price_minor = 0 or currency is not null);
`,
);
