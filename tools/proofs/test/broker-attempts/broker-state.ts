import {
  AckPolicy,
  DeliverPolicy,
  jetstreamManager,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { connect, nanos, type NatsConnection } from '@nats-io/transport-node';
import { brokerSubjects } from '../../../../libs/kit/src/index.ts';
import { holdsWithin } from '../../system/poll.ts';
import { IS_PROOF } from '../proof-size.ts';
import { consumersOf, type Party, READER_ORG, STREAM_OWNERS, STREAMS } from './parties.ts';
import { exampleOf } from './subject-patterns.ts';
import { MARKER } from './targets.ts';

const HOUR_MS = 3_600_000;
const RESTORE_MS = 5_000;
const MESSAGES = 3;
/** For the organization of the attacking reader. Many attempts take a message each. */
const READER_MESSAGES = IS_PROOF ? 400 : 50;

/** The state of streams and consumers, as text by name. */
export type Snapshot = ReadonlyMap<string, string>;

const changesBetween = (before: Snapshot, after: Snapshot): string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name) ?? 'missing'} became ${after.get(name) ?? 'missing'}`);

interface Operator {
  service: string;
  nc: NatsConnection;
  manager: JetStreamManager;
}

/** Streams with messages and readers' consumers in the accounts of all services, as operators see them. */
export class BrokerState {
  readonly #operators: readonly Operator[];
  readonly #configs = new Map<string, StreamConfig>();

  private constructor(operators: readonly Operator[]) {
    this.#operators = operators;
  }

  /** Connects with the operators' users, and creates what is missing. */
  static async open(servers: string, pass: string): Promise<BrokerState> {
    const connectOperator = async (service: string): Promise<Operator> => {
      const nc = await connect({ servers, pass, user: `admin_${service}`, inboxPrefix: '_INBOX_operator' });
      return { service, nc, manager: await jetstreamManager(nc, { checkAPI: false }) };
    };
    const state = new BrokerState(await Promise.all(STREAM_OWNERS.map(connectOperator)));
    for (const { stream, service, log } of STREAMS) {
      const { manager } = state.#operatorOf(stream);
      const config = { name: stream, subjects: [brokerSubjects.events(service, log)], max_bytes: 64_000_000 };
      const info = await manager.streams.info(stream).catch(() => manager.streams.add(config));
      state.#configs.set(stream, info.config);
      await state.restore(stream);
    }
    return state;
  }

  #sourceOf(stream: string): (typeof STREAMS)[number] {
    const source = STREAMS.find((one) => one.stream === stream);
    if (source === undefined) throw new Error(`no service has the stream ${stream}`);
    return source;
  }

  #operatorOf(stream: string): Operator {
    const { service } = this.#sourceOf(stream);
    const operator = this.#operators.find((one) => one.service === service);
    if (operator === undefined) throw new Error(`${service} has no operator`);
    return operator;
  }

  /** The operator's connection to the account of a stream. */
  connectionOf(stream: string): NatsConnection {
    return this.#operatorOf(stream).nc;
  }

  /** The subjects of all messages in the stream. */
  async subjectsIn(stream: string): Promise<string[]> {
    const { manager } = this.#operatorOf(stream);
    const info = await manager.streams.info(stream, { subjects_filter: '>' }).catch(() => undefined);
    return Object.keys(info?.state.subjects ?? {});
  }

  async deleteStream(stream: string): Promise<void> {
    await this.#operatorOf(stream)
      .manager.streams.delete(stream)
      .catch(() => false);
  }

  /** Deletes the streams that no service publishes, in the account of this stream. Resolves with their names. */
  async removeIntruders(stream: string): Promise<string[]> {
    const { manager, service } = this.#operatorOf(stream);
    const known = STREAMS.filter((one) => one.service === service).map((one) => one.stream);
    const names = (await manager.streams.list().next()).map(({ config }) => config.name);
    const intruders = names.filter((name) => !known.includes(name));
    for (const name of intruders) await manager.streams.delete(name);
    return intruders;
  }

  /** Creates the stream anew, with messages and consumers. */
  async restore(stream: string): Promise<void> {
    const { service, log } = this.#sourceOf(stream);
    const { nc, manager } = this.#operatorOf(stream);
    const config = this.#configs.get(stream);
    // The broker removes a large stream's files some time after the stream.
    const isCreated = await holdsWithin(async () => {
      await this.deleteStream(stream);
      await manager.streams.add({ ...config, name: stream });
      return true;
    }, RESTORE_MS);
    if (!isCreated) throw new Error(`${stream} cannot be created anew`);
    const publish = (org: string, count: number): void => {
      for (let n = 0; n < count; n += 1) nc.publish(exampleOf(brokerSubjects.events(service, log, org)), MARKER);
    };
    publish('*', MESSAGES);
    if (consumersOf(stream).includes('reader_one')) publish(READER_ORG, READER_MESSAGES);
    for (const consumer of consumersOf(stream)) await this.resetConsumer(stream, consumer, DeliverPolicy.All);
    // A delivered message without an acknowledgement shows a forged acknowledgement.
    await nc.request(`$JS.API.CONSUMER.MSG.NEXT.${stream}.reader_all`, '{"batch":1,"no_wait":true}', {
      timeout: RESTORE_MS,
      noMux: true,
      reply: '_INBOX_operator.pull',
    });
  }

  /** Creates a reader's consumer anew, before all messages or after them. */
  async resetConsumer(stream: string, consumer: string, deliver_policy: DeliverPolicy): Promise<void> {
    const { service, log } = this.#sourceOf(stream);
    const { manager } = this.#operatorOf(stream);
    await manager.consumers.delete(stream, consumer).catch(() => false);
    await manager.consumers.add(stream, {
      durable_name: consumer,
      filter_subject: brokerSubjects.events(service, log, consumer === 'reader_one' ? READER_ORG : '*'),
      deliver_policy,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(HOUR_MS),
      max_ack_pending: 1_000,
      max_waiting: 2_000,
    });
  }

  /** Everything but the attacker's own account, and the position of its own consumer. */
  async snapshot(attacker: Party): Promise<Snapshot> {
    const foreign = this.#operators.filter(({ service }) => service !== attacker.user);
    return new Map((await Promise.all(foreign.map((one) => this.#snapshotOf(one, attacker)))).flat());
  }

  async #snapshotOf({ manager }: Operator, attacker: Party): Promise<[string, string][]> {
    const streams = await manager.streams.list().next();
    const consumersIn = async (stream: string): Promise<[string, string][]> =>
      (await manager.consumers.list(stream).next()).map((info) => {
        const { deliver_policy: _policy, ...config } = info.config;
        const { num_ack_pending, num_waiting, delivered, ack_floor } = info;
        const position = { delivered: delivered.consumer_seq, ack_floor: ack_floor.consumer_seq, num_ack_pending };
        const all = info.name === attacker.user ? config : { ...config, ...position, num_waiting };
        return [`${stream}, consumer ${info.name}`, JSON.stringify(all)];
      });
    const consumers = await Promise.all(streams.map(({ config }) => consumersIn(config.name)));
    return [
      ...streams.map(({ config }): [string, string] => [`${config.name}, configuration`, JSON.stringify(config)]),
      ...streams.map(({ config: { name }, state }): [string, string] => {
        const { messages, first_seq, last_seq } = state;
        return [`${name}, messages`, JSON.stringify({ messages, first_seq, last_seq })];
      }),
      ...consumers.flat(),
    ];
  }

  /** Resolves with the changes since a snapshot, and undoes them. */
  async undoChanges(attacker: Party, before: Snapshot): Promise<string[]> {
    const changes = changesBetween(before, await this.snapshot(attacker));
    if (changes.length === 0) return [];
    for (const { stream } of STREAMS) await this.removeIntruders(stream);
    for (const { stream } of STREAMS)
      if (changes.some((change) => change.startsWith(`${stream},`))) await this.restore(stream);
    return changes;
  }

  async close(): Promise<void> {
    await Promise.all(this.#operators.map(({ nc }) => nc.close()));
  }
}
