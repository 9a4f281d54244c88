import type { WireCall } from './wire.ts';
import type { CallOptions } from './request.ts';

/** Remembers the consistency token of the latest write, and sends it along with reads of statistics. */
export class LatestWrite {
  readonly #carries: boolean;
  #token: string | undefined;

  constructor(carries: boolean) {
    this.#carries = carries;
  }

  keep(token: string | null): void {
    if (this.#carries && token !== null) this.#token = token;
  }

  /** The options of a call; a token that the caller gives comes first. */
  along(call: WireCall, options: CallOptions): CallOptions {
    const token = options.consistency_token ?? (call.service === 'stats' ? this.#token : undefined);
    return token === undefined ? options : { ...options, consistency_token: token };
  }
}
