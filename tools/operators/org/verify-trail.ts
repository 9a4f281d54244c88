import { join } from 'node:path';
import { z } from 'zod';
import { AuditEntry } from '../../../libs/contracts/src/index.ts';
import { checkChain, type ChainEntry, GENESIS, type ChainHead } from '../../../services/clazz/src/audit/chain.rules.ts';
import { type AuditText, textFault } from '../../../services/clazz/src/audit/audit-texts.rules.ts';
import { readLines } from './read-lines.ts';
import type { Manifest } from './manifest.ts';

/** An instant in the form of the chain; Postgres writes it with an offset. */
const Instant = z.string().transform((text) => new Date(text).toISOString());
const StoredText = z.object({
  digest: z.string(),
  key: z.string().nullable(),
  text: z.string().nullable(),
  former_seq: z.int().nullable(),
});
const Former = z.object({ seq: z.int(), hash: z.string() });
/** The hashed form of an entry, as the contract defines it. It has digests where the API also shows keys. */
const Entry = AuditEntry.extend({
  occurred_at: Instant,
  clazz_id: z.string().nullable(),
  texts: z.array(z.object({ path: z.string(), digest: z.string() })).nullable(),
});

/** Verified earlier: only its digest is needed. */
const known = (digest: string): AuditText => ({ digest, key: null, text: null });

/** Checks the texts beside the chain against their digests. */
const readTexts = async (path: string, broken: (why: string) => void): Promise<Map<string, AuditText>> => {
  const texts = new Map<string, AuditText>();
  await readLines(path, (line) => {
    const { former_seq, ...text } = StoredText.parse(JSON.parse(line));
    const odd = textFault([{ path: '', digest: text.digest }], new Map([[text.digest, text]]));
    if (odd !== undefined) broken(`the text of digest ${text.digest}: ${odd}`);
    texts.set(text.digest, former_seq === null ? known(text.digest) : text);
  });
  return texts;
};

/**
 * Verifies the chain of an export from its files alone. Returns the faults. The head comes from the manifest: it proves as much as
 * the place where it was stored.
 */
export const verifyTrail = async (folder: string, { tables, trail }: Manifest): Promise<string[]> => {
  const faults: string[] = [];
  const pathOf = (name: string): string => {
    const table = tables.find((one) => one.table === `clazz.${name}`);
    if (table === undefined) throw new Error(`The export has no clazz.${name}`);
    return join(folder, table.file);
  };
  const texts = await readTexts(pathOf('audit_text'), (why) => faults.push(why));
  const former = new Map<number, string>();
  await readLines(pathOf('audit_former'), (line) => {
    const { seq, hash } = Former.parse(JSON.parse(line));
    former.set(seq, hash);
  });
  let head: ChainHead = { entries: 0, hash: GENESIS };
  let isBroken = false;
  await readLines(pathOf('clazz_audit_log'), (line) => {
    if (isBroken) return;
    const entry: ChainEntry = Entry.parse(JSON.parse(line));
    const checked = checkChain(head, [entry], { texts, former });
    head = checked.head;
    if (checked.broken === undefined) return;
    isBroken = true;
    faults.push(`entry ${checked.broken.seq} of the audit log: ${checked.broken.why}`);
  });
  if (!isBroken && (head.entries !== trail.entries || head.hash !== trail.hash))
    faults.push('the audit log does not end in its head');
  return faults;
};
