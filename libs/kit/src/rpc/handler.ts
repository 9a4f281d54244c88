import type { AnyCall, Calls, Input, Output } from '@teaching/contracts';
import type { Session } from './session.ts';

/** An answer with another status than the contract's, or another content type. */
export class Reply<T> {
  readonly body: T | string | null;
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly next: string | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(
    body: T | string | null,
    options: { status?: number; type?: string; next?: string; headers?: Record<string, string> } = {},
  ) {
    this.body = body;
    this.status = options.status;
    this.type = options.type;
    this.next = options.next;
    this.headers = options.headers;
  }
}

/** An answer that is written already, for whoever keeps it. It has no version, so no `ETag`. */
export class WrittenAnswer<T extends object> {
  readonly text: string;
  /** Only carries the type of the answer; never set. */
  readonly '~answer'?: T;

  constructor(answer: T) {
    this.text = JSON.stringify(answer);
  }
}

type Answered<T> = T | Reply<T> | (T extends object ? WrittenAnswer<T> : never);
type Handle<C extends AnyCall> = (input: Input<C>, session: Session) => Promise<Answered<Output<C>>>;

/**
 * A handler. The two-step form is for calls that ask a neighbour first: `prepare` runs before the
 * transaction and may use `session.neighbours`; what it learns is handed to `run`.
 */
export type Handler<C extends AnyCall, Facts = never> =
  | Handle<C>
  | {
      prepare(input: Input<C>, session: Session): Promise<Facts>;
      run(input: Input<C>, session: Session, facts: Facts): Promise<Answered<Output<C>>>;
    };

/** A handler whose two steps agree on their facts. */
export const prepared = <C extends AnyCall, Facts>(
  _call: C,
  steps: {
    prepare(input: Input<C>, session: Session): Promise<Facts>;
    run(input: Input<C>, session: Session, facts: Facts): Promise<Answered<Output<C>>>;
  },
): Handler<C, Facts> => steps;

/** One handler for each call of a service: a missing one does not compile. */
export type Handlers<C extends Calls> = { readonly [K in keyof C]: Handler<C[K], any> }; // oxlint-disable-line no-explicit-any -- facts are private to each handler

export interface Route {
  call: AnyCall;
  prepare: ((input: Input<AnyCall>, session: Session) => Promise<unknown>) | undefined;
  run: (input: Input<AnyCall>, session: Session, facts: unknown) => Promise<unknown>;
}

/** Pairs calls with their handlers. */
export const routes = <C extends Calls>(calls: C, handlers: Handlers<C>): Route[] =>
  Object.entries(calls).map(([name, call]): Route => {
    const handler: Handler<AnyCall, unknown> | undefined = handlers[name];
    if (handler === undefined) throw new Error(`no handler for ${call.id}`);
    if (typeof handler === 'function') return { call, prepare: undefined, run: handler };
    return {
      call,
      prepare: (input, session) => handler.prepare(input, session),
      run: (input, session, facts) => handler.run(input, session, facts),
    };
  });
