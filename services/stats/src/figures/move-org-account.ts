/** What an account's row was before, beside what it is: the org's sums move by the difference. */
export const MOVE_ORG = `
  insert into org_account (gen, org_id, granted, consumed, balance)
  select $1, org_id, sum(granted), sum(consumed), sum(balance) from moved group by org_id
  on conflict (org_id, gen) do update set granted = org_account.granted + excluded.granted,
    consumed = org_account.consumed + excluded.consumed, balance = org_account.balance + excluded.balance`;

export const DIFFERENCE = ['granted', 'consumed', 'balance']
  .map((name) => `new.${name} - coalesce(old.${name}, 0) as ${name}`)
  .join(', ');
