import { connect, type Msg, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { covers } from '../../../operators/broker/accounts.ts';
import { type Party, PARTIES } from './parties.ts';
import { FORGED, isCovered } from './subject-patterns.ts';
import { MARKER } from './targets.ts';

/** By user. */
export type Passwords = Readonly<Record<string, string>>;

/** Connects with the user's own credentials. */
export const connectAs = ({ user, seed }: Party, servers: string, passwords: Passwords): Promise<NatsConnection> => {
  const login =
    seed === undefined
      ? { user, pass: passwords[user] ?? '' }
      : { authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)) };
  return connect({ servers, ...login, reconnect: false, inboxPrefix: `_INBOX_${user}` });
};

/** Whether no service sends such a message: the broker or these tests sent it. */
const isStrange = ({ headers, data, subject }: Msg): boolean => {
  if (headers !== undefined || subject.includes(FORGED)) return true;
  if (data.length === 0) return !subject.startsWith('nudge.');
  const text = Buffer.from(data).toString();
  return text.includes(MARKER) || text.includes('"type":"io.nats.') || text.includes('"stream":"');
};

/** Every user, subscribed with its own credentials to all that it may receive. */
export class Listeners {
  readonly #connections = new Map<string, NatsConnection>();
  #received: string[] = [];
  #attacker: Party | undefined;

  static async open(servers: string, passwords: Passwords): Promise<Listeners> {
    const listeners = new Listeners();
    for (const party of PARTIES) await listeners.#listen(party, await connectAs(party, servers, passwords));
    return listeners;
  }

  async #listen(party: Party, nc: NatsConnection): Promise<void> {
    this.#connections.set(party.user, nc);
    for (const pattern of party.subscribe) {
      const callback = (error: Error | null, message: Msg): void => {
        if (error !== null) throw error;
        if (this.#isForged(party, pattern, message))
          this.#received.push(`${party.user} received ${message.subject} as ${pattern}`);
      };
      nc.subscribe(pattern, { callback });
    }
    await nc.flush();
  }

  #isForged({ user }: Party, pattern: string, message: Msg): boolean {
    const { subject } = message;
    if (user === this.#attacker?.user) return false;
    // The broker delivers a stored message with its own subject to any reply subject.
    if (!covers(pattern, subject)) return true;
    if (this.#attacker !== undefined && isCovered(this.#attacker.publish, subject)) return false;
    // Real services receive answers of the broker in inboxes too.
    return pattern.startsWith('_INBOX_') ? subject.includes(FORGED) : isStrange(message);
  }

  connectionOf(user: string): NatsConnection {
    const nc = this.#connections.get(user);
    if (nc === undefined) throw new Error(`${user} is not connected`);
    return nc;
  }

  /** Forgets what was received, and ignores what the attacker may send. */
  begin(attacker?: Party): void {
    this.#attacker = attacker;
    this.#received = [];
  }

  /** What users received since `begin` that no service sent. */
  async received(): Promise<readonly string[]> {
    await Promise.all([...this.#connections.values()].map((nc) => nc.flush()));
    return this.#received;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((nc) => nc.close()));
  }
}
