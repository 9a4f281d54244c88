import { migration } from '@teaching/kit';

/** Without a price there is no currency. What was stored before keeps the one it was stored with. */
export const priceWithoutCurrency = migration(
  '102_price_without_currency',
  `
  alter table course_package alter column currency drop not null,
    add check (price_minor = 0 or currency is not null);
`,
);
