import type { Change } from '@teaching/contracts';
import { EventParser } from '../../../libs/client/src/event-parser.ts';

/** A page that listens: what it was told, and whether it still is. */
export interface Listener {
  status: number;
  headers: Headers;
  /** Of the problem, if it was refused. */
  body: string;
  /** In order: what changed, or `reset`. */
  told: (Change | 'reset')[];
  /** The id it would go on after. */
  id: () => string | undefined;
  /** Pieces that came, also those that tell nothing. */
  pieces: () => number;
  /** Undefined while it is told; then how it ended. */
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
  const told: Listener['told'] = [];
  const parser = new EventParser();
  let pieces = 0;
  let ended: 'ended' | 'broken' | undefined;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) {
      pieces += 1;
      for (const { event, data } of parser.read(decoder.decode(piece, { stream: true })))
        told.push(event === 'reset' ? 'reset' : (JSON.parse(data) as Change)); // compared as it is
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
    told,
    id: () => parser.id,
    pieces: () => pieces,
    ended: () => ended,
    close: () => over.abort(),
  };
};
