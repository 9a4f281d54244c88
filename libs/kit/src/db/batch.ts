import type pg from 'pg';
import Result from 'pg/lib/result.js';
import type { WireValue } from 'pg/lib/utils.js';

/** One statement of a batch, prepared by its name, and who hears what came of it. */
export interface Sent {
  name: string;
  text: string;
  /** As they go over the wire. */
  values: readonly WireValue[];
  /** Whether somebody wants its rows. */
  asks: boolean;
  /** `command`: as Postgres calls what it did. */
  done: (rows: pg.QueryResultRow[], command: string) => void;
  failed: (error: Error) => void;
}

/** The connection below a client, and what of it a query uses; `pg` does not put all of it in its types. */
interface Wire {
  stream: { cork(): void; uncork(): void };
  /** Texts of prepared statements by name: those that are, and those that will be when Postgres comes to them. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: readonly WireValue[] }): void;
  describe(portal: { type: 'P' }): void;
  execute(portal: object): void;
  sync(): void;
}

/** The portal that was bound last, to its end. */
const LATEST = {};

/** What makes rows of each statement that was described, for each connection: described once, it stays as it is. */
const readers = new WeakMap<Wire, Map<string, Result>>();
const readersOf = (wire: Wire): Map<string, Result> => {
  const known = readers.get(wire) ?? new Map<string, Result>();
  readers.set(wire, known);
  return known;
};

/**
 * Several statements that Postgres gets, runs and answers as one message: in order, and after one that fails none of those behind it
 * (PostgreSQL, “Pipelining”). Each of them alone would be told apart, written, and waited for by a process that is woken for it.
 * A query as the driver takes it (`Submittable`): it calls what is called `handle…` here.
 */
export class Batch {
  readonly #sent: readonly Sent[];
  readonly #types: pg.CustomTypesConfig | undefined;
  readonly #ended: (error?: Error) => void;
  /** Which of them is being answered. */
  #at = 0;
  #rows: pg.QueryResultRow[] = [];
  #readers: Map<string, Result> | undefined;
  /** What was sent to be prepared on its connection, by name. */
  #submitted: Record<string, string> = {};

  /** `ended`: all of it is answered, or has failed. */
  constructor(sent: readonly Sent[], types: pg.CustomTypesConfig | undefined, ended: (error?: Error) => void) {
    this.#sent = sent;
    this.#types = types;
    this.#ended = ended;
  }

  /** The driver notes them as prepared when it hears that one is: always the one that is being answered. */
  get name(): string {
    return this.#sent[this.#at]?.name ?? '';
  }

  get text(): string {
    return this.#sent[this.#at]?.text ?? '';
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire;
    const readers = readersOf(wire);
    this.#readers = readers;
    this.#submitted = wire.submittedNamedStatements;
    wire.stream.cork();
    for (const { name, text, values, asks } of this.#sent) {
      if ((wire.parsedStatements[name] ?? wire.submittedNamedStatements[name]) === undefined) {
        wire.submittedNamedStatements[name] = text;
        wire.parse({ name, text });
      }
      wire.bind({ statement: name, values });
      if (asks && !readers.has(name)) wire.describe({ type: 'P' });
      wire.execute(LATEST);
    }
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: readonly unknown[] }): void {
    const reader = new Result(undefined, this.#types);
    reader.addFields(fields);
    this.#readers?.set(this.name, reader);
  }

  handleDataRow({ fields: values }: { fields: readonly unknown[] }): void {
    // Nobody asked for rows of what was never described.
    const row = this.#readers?.get(this.name)?.parseRow(values);
    if (row !== undefined) this.#rows.push(row);
  }

  handleCommandComplete({ text: command }: { text: string }): void {
    const rows = this.#rows;
    this.#rows = [];
    this.#sent[this.#at++]?.done(rows, command);
  }

  handleReadyForQuery(): void {
    this.#ended();
  }

  handleError(error: Error): void {
    const behind = this.#sent.slice(this.#at);
    this.#at = this.#sent.length;
    for (const { name, failed } of behind) {
      delete this.#submitted[name];
      failed(error);
    }
    this.#ended(error);
  }
}
