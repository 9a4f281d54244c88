import { createHash } from 'node:crypto';
import { Problem } from '@teaching/contracts';
import type { StatementRunner } from '../db/connection.ts';
import { notNull, instant, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { table } from '../db/table.ts';
import type { IdentifiedHead } from './call-identity.ts';
import type { ReplyHead } from './frame.ts';
import { type Answer, refusalAnswer } from './handler.ts';

/** The head of a stored answer. */
export interface StoredHead extends ReplyHead {
  /** For a refusal: the deadline of the refused request, in epoch milliseconds by the clock of Postgres. */
  refused_deadline?: number;
}

/** Answers of writes, by the idempotency key that the caller chose. */
export const IDEMPOTENCY_KEY = table('idempotency_key', {
  org_id: p.uuid().primary(),
  user_id: p.text().primary(),
  key: p.text().primary(),
  request_hash: p.text(),
  reply_head: p.json<StoredHead>().columnType('json'),
  reply_body: p.text(),
  created_at: instant().columnType('timestamptz'),
});

/** Keys are kept this long (rules, part 9); a job removes older ones. */
export const IDEMPOTENCY_HOURS = 24;

const STORED = IDEMPOTENCY_KEY.pick('request_hash', 'reply_head', 'reply_body');
/**
 * The deadline of a request of which so many milliseconds remain, in epoch milliseconds by the clock of Postgres: the
 * only one that all instances share (ADR 42).
 */
const deadlineOf = (remaining_ms: string): string =>
  `(extract(epoch from clock_timestamp()) * 1000 + ${remaining_ms}::float8)::float8`;
const LOCK = statement(`select try_own_turn($1, 'key ' || $2 || ' ' || $3) as is_mine`, {
  is_mine: notNull(p.boolean()),
});
/**
 * `is_past`: a refusal that does not concern this request, which was sent later. A refusal from the future was stored
 * before the clock of Postgres was set back. It concerns no request.
 */
const FIND = statement(
  `select ${STORED.columns}, case when reply_head -> 'refused_deadline' is null then false
     else created_at > clock_timestamp() or (reply_head ->> 'refused_deadline')::float8 <= ${deadlineOf('$4')}
     end as is_past
   from idempotency_key
   where org_id = $1 and user_id = $2 and key = $3 and created_at > now() - interval '${IDEMPOTENCY_HOURS} hours'`,
  { ...STORED.shape, is_past: notNull(p.boolean()) },
);
const storeStatement = (reply_head: string) =>
  statement(
    `insert into idempotency_key (org_id, user_id, key, request_hash, reply_head, reply_body)
     values ($1, $2, $3, $4, ${reply_head}, $6)
     on conflict (org_id, user_id, key) do update
     set request_hash = excluded.request_hash, reply_head = excluded.reply_head,
         reply_body = excluded.reply_body, created_at = now()`,
  );
const STORE = storeStatement('$5');
const STORE_REFUSAL = storeStatement(
  `($5::jsonb || jsonb_build_object('refused_deadline', ${deadlineOf('$7')}))::json`,
);

/**
 * One request under an Idempotency-Key: the same key and body get the same answer, without a second effect. A refusal
 * is not replayed to later requests: a client that sends the request again gets a new result. But a copy of the
 * request that was sent before the refusal and arrives late, for example after a process pause, gets the refusal and
 * is not performed.
 */
export class IdempotentRequest {
  readonly #head: IdentifiedHead;
  readonly #key: string;
  readonly #hash: string;

  constructor(head: IdentifiedHead, key: string, call: string, body: Buffer) {
    this.#head = head;
    this.#key = key;
    const target = JSON.stringify([call, head.path ?? {}, head.query ?? '']);
    this.#hash = createHash('sha256').update(target).update(body).digest('base64url');
  }

  /** The stored answer, if this request was performed before, or if a later copy of it was refused. */
  async find(connection: StatementRunner): Promise<Answer | undefined> {
    const { org_id, user_id } = this.#head;
    const [stored] = await connection.query(FIND, [org_id, user_id, this.#key, this.#remaining_ms]);
    if (stored === undefined || stored.is_past) return undefined;
    const { refused_deadline: _, ...head } = stored.reply_head;
    if (stored.request_hash !== this.#hash) throw new Problem('idempotency_mismatch');
    return { head, body: stored.reply_body };
  }

  /** Inside the business transaction: locks the key. Throws `idempotency_in_flight` while another request holds it. */
  async claim(connection: StatementRunner): Promise<Answer | undefined> {
    const { org_id, user_id } = this.#head;
    const lock = connection.query(LOCK, [org_id, user_id, this.#key]);
    const found = this.find(connection);
    found.catch(() => {});
    const [row] = await lock;
    if (row?.is_mine !== true) throw new Problem('idempotency_in_flight');
    return found;
  }

  /** Stores the answer in the transaction of the business change. */
  store(connection: StatementRunner, answer: Answer): void {
    connection.run(STORE, this.#valuesOf(answer));
  }

  /** Stores a refusal, so that no copy of the request that was sent before it is performed after it. */
  storeRefusal(connection: StatementRunner, problem: Problem): void {
    const answer = refusalAnswer(problem, this.#head.request_id);
    connection.run(STORE_REFUSAL, [...this.#valuesOf(answer), this.#remaining_ms]);
  }

  get #remaining_ms(): number {
    return this.#head.deadline - performance.now();
  }

  /** The parameters of the statements that store an answer. */
  #valuesOf({ head, body }: Answer): unknown[] {
    const { org_id, user_id } = this.#head;
    return [org_id, user_id, this.#key, this.#hash, JSON.stringify(head), body];
  }
}
