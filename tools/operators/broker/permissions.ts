import {
  type AnyCall,
  type BrokerUser,
  BROKER_USERS,
  type EventDef,
  type LogKind,
} from '../../../libs/contracts/src/index.ts';
import { brokerSubjects as subjects, streamName } from '../../../libs/kit/src/index.ts';

/** The logs that each service follows, by service. */
export type Follows = Readonly<Record<string, readonly EventDef[]>>;

/** The declarations that the permissions of all broker users are derived from. */
export interface Declarations {
  calls: readonly AnyCall[];
  /** All events, of every service. */
  events: readonly EventDef[];
  follows: Follows;
}

/** The permissions of one user. */
export interface Permissions {
  publish: string[];
  subscribe: string[];
}

/** A log that a user reads: its service and its name. */
interface Log {
  service: string;
  log: LogKind;
}

const different = <T>(list: readonly T[]): T[] => [...new Set(list)];
const logsOf = (events: readonly EventDef[]): Log[] => {
  const known = new Map(events.map(({ service, log }) => [`${service} ${log}`, { service, log }]));
  return [...known.values()];
};

/** The subjects of calls that a user may send. Calls for people go through the gateway, which may send all of them; others send those for services. */
const asked = ({ calls }: Declarations, user: BrokerUser): string[] => {
  const mine = calls.filter(({ called_by }) => called_by.includes(user));
  const services = different(mine.map(({ service }) => service));
  if (user === 'gateway') return services.map((service) => subjects.call(service, user, '>'));
  return [
    ...services.map((service) => subjects.call(service, user, subjects.ping)),
    ...mine.map(({ service, endpoint }) => subjects.call(service, user, endpoint)),
  ];
};

/** The users that may call a service or query its logs. */
const askersOf = ({ calls, follows }: Declarations, service: string): BrokerUser[] =>
  BROKER_USERS.filter(
    (user) =>
      calls.some((call) => call.service === service && call.called_by.includes(user)) ||
      (follows[user] ?? []).some((event) => event.service === service),
  );

const managed = ({ service, log }: Log): string[] =>
  ['INFO', 'CREATE', 'MSG.GET'].map((act) => `$JS.API.STREAM.${act}.${streamName(service, log)}`);

/** Gateways exchange messages on subjects that no other user may use. */
const ofGateways = (): Permissions => ({
  publish: [subjects.peers('gateway'), subjects.replies('gateway', 'gateway')],
  subscribe: [subjects.peers('gateway')],
});

/** Gateways announce which organizations have open pages, and receive hints from services. */
const ofPages = (): Permissions => ({ publish: [subjects.watched], subscribe: [subjects.hint('*')] });

/** The permissions of one service, or of the gateway and the operator, which receive no calls and follow no log. */
export const permissionsOf = (declared: Declarations, user: BrokerUser): Permissions => {
  const own = logsOf(declared.events.filter(({ service }) => service === user));
  const followed = logsOf(declared.follows[user] ?? []);
  const sources = different(followed.map(({ service }) => service));
  const common = { publish: asked(declared, user), subscribe: [subjects.inbox(user), subjects.heartbeat('*')] };
  if (user === 'admin') return common;
  if (user === 'gateway') {
    const more = [ofGateways(), ofPages()];
    return {
      publish: [...common.publish, ...more.flatMap(({ publish }) => publish)],
      subscribe: [...common.subscribe, ...more.flatMap(({ subscribe }) => subscribe)],
    };
  }
  const about = subjects.log(user, '*');
  return {
    publish: [
      ...common.publish,
      subjects.heartbeat(user),
      subjects.nudge(user),
      ...askersOf(declared, user).map((asker) => subjects.replies(asker, user)),
      ...own.flatMap((log) => [subjects.events(log.service, log.log), ...managed(log)]),
      ...(own.length === 0 ? [] : [about.head, subjects.hint(user)]),
      ...sources.map((service) => subjects.log(service, user)).flatMap(({ read, reach }) => [read, reach]),
    ],
    subscribe: [
      ...common.subscribe,
      subjects.nudge(user),
      subjects.servedCalls(user),
      ...(own.length === 0 ? [] : [about.read, about.reach, subjects.watched]),
      ...followed.map((log) => subjects.events(log.service, log.log)),
      ...sources.map((service) => subjects.log(service, user).head),
    ],
  };
};
