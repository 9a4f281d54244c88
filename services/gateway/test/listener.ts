import type { Change } from '@teaching/contracts';
import { EventParser } from '../../../libs/client/src/event-parser.ts';

/** An open page: the changes that it received, and whether its stream is open. */
export interface Listener {
  status: number;
  headers: Headers;
  /** The code of the problem, if it was refused. */
  body: string;
  /** The received changes in order, or `reset`. */
  received: (Change | 'reset')[];
  /** The id that it would send to continue. */
  id: () => string | undefined;
  /** Received pieces, including those without a change. */
  pieces: () => number;
  /** Undefined while the stream is open; then how it ended. */
  ended: () => 'ended' | 'broken' | undefined;
  close(): void;
}

/** Opens `GET /api/v1/changes` at a gateway. */
export const listen = async (
  address: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Listener> => {
  const over = new AbortController();
  const answer = await fetch(`${address}/api/v1/changes`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: over.signal,
  });
  const received: Listener['received'] = [];
  const parser = new EventParser();
  let pieces = 0;
  let ended: 'ended' | 'broken' | undefined;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) {
      pieces += 1;
      for (const { event, data } of parser.read(decoder.decode(piece, { stream: true }))) {
        if (event === 'reset') received.push('reset');
        if (event === 'change') received.push(JSON.parse(data) as Change); // compared as it is
      }
    }
  };
  const body = answer.ok ? '' : await answer.text();
  if (answer.ok)
    read().then(
      () => (ended = 'ended'),
      () => (ended = 'broken'),
    );
  return {
    status: answer.status,
    headers: answer.headers,
    body,
    received,
    id: () => parser.id,
    pieces: () => pieces,
    ended: () => ended,
    close: () => over.abort(),
  };
};
