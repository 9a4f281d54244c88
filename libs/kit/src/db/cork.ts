import type pg from 'pg';

/** The socket below a client; `pg` does not put it in its types. */
interface Wired {
  connection: { stream?: { cork(): void; uncork(): void } };
}

const corked = new WeakSet<pg.ClientBase>();

export const isCorked = (client: pg.ClientBase): boolean => corked.has(client);

/** Holds back what is written to a connection until this turn is over, so that it leaves in one packet. */
export const corkForTurn = (client: pg.ClientBase): void => {
  const { stream } = (client as unknown as Wired).connection;
  if (stream === undefined || corked.has(client)) return;
  corked.add(client);
  stream.cork();
  process.nextTick(() => {
    corked.delete(client);
    stream.uncork();
  });
};
