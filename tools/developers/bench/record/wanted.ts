import type { Logged } from './logged.ts';

/** Whoever replays is bound once. */
const BINDING = /^select set_config\('app\.org_id'/;
/** Whether what was answered before is still true. */
const KEEPING = /^select state from log_state\(\)/;
const READING = /^\s*(?:select|with)\b/i;
const WRITING = /\b(?:insert into|update \w+ set|delete from|merge into)\b/i;

/** What a read asks: neither the record in the audit trail that it was read, nor the transaction around both, nor whether to ask. */
export const isAsking = ({ text }: Pick<Logged, 'text'>): boolean =>
  READING.test(text) && !WRITING.test(text) && !BINDING.test(text) && !KEEPING.test(text);

/** Whether a statement is of a transaction, its first and last included; told of one after the other. */
export const inTransactions = () => {
  const open = new Set<string>();
  return ({ session, text }: Pick<Logged, 'session' | 'text'>): boolean => {
    if (/^begin\b/.test(text)) open.add(session);
    if (/^(?:commit|rollback)\b/.test(text)) return open.delete(session);
    return open.has(session);
  };
};
