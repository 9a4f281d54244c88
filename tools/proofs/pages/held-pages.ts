import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const HOLDER = fileURLToPath(new URL('hold-pages.ts', import.meta.url));

/** Opens pages with these tokens at a gateway. */
export interface OpenOrder {
  port: number;
  tokens: readonly string[];
}

/** The messages that the open pages of a holder have received so far. */
export interface PageCounts {
  open: number;
  changes: number;
  alive: number;
}

/** The answer to an order: an error of a page that was refused or closed. */
export type HolderAnswer = PageCounts | { error: string };

export interface HeldPages {
  /** Opens more pages. Resolves when all of them have received their first event. */
  open: (order: OpenOrder) => Promise<PageCounts>;
  count: () => Promise<PageCounts>;
  close: () => void;
}

/** Starts a process of its own that holds open pages, because one process may have too few files for both ends. */
export const startHolder = (): HeldPages => {
  const child = fork(HOLDER);
  const ask = async (order: OpenOrder | 'count'): Promise<PageCounts> => {
    child.send(order);
    const [answer] = (await once(child, 'message')) as [HolderAnswer];
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  };
  return { open: ask, count: () => ask('count'), close: () => void child.kill() };
};
