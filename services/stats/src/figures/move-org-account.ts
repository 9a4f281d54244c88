/** The org's sums move by what rows say, in one statement with what stores these; $1 is the generation. */
export const moveOrg = (rows: string, names: readonly string[]): string => `
  insert into org_account (gen, org_id, ${names.join(', ')})
  select $1, org_id, ${names.map((name) => `sum(${name})`).join(', ')} from (${rows}) as r group by org_id
  on conflict (org_id, gen) do update set ${names.map((name) => `${name} = org_account.${name} + excluded.${name}`).join(', ')}`;

/** Sums of an account that events tell. */
export const TOLD_SUMS = ['granted', 'consumed', 'balance'] as const;
/** What an account's row was before, beside what it is. */
export const DIFFERENCE = TOLD_SUMS.map((name) => `new.${name} - coalesce(old.${name}, 0) as ${name}`).join(', ');
