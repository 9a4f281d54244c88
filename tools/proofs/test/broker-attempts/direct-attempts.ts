import type { Msg } from '@nats-io/transport-node';
import type { Group, Scene } from './attempts.ts';
import { isOfJetStream, type Party, PARTIES } from './parties.ts';
import { exampleOf, isCovered } from './subject-patterns.ts';
import { directTargets, type Extent, foreignPatterns, foreignReads, MARKER } from './targets.ts';

const publishGroup = (attacker: Party, extent: Extent): Group => ({
  kind: 'publish',
  attempts: directTargets(attacker, extent).map(({ subject, body }) => ({
    target: subject,
    run: ({ nc }) => nc.publish(subject, body),
  })),
});

const isRefusal = ({ headers, data }: Msg): boolean =>
  (headers?.code ?? 0) >= 400 || Buffer.from(data).includes('"error"');

const readGroup = (attacker: Party): Group => ({
  kind: 'read',
  attempts: foreignReads(attacker).map(({ subject, body }) => ({
    target: subject,
    run: ({ nc, leaks, subscriptions }) => {
      const reply = `_INBOX_${attacker.user}.${crypto.randomUUID()}`;
      const callback = (_error: Error | null, message: Msg): void => {
        if (!isRefusal(message)) leaks.push(`the attacker received the answer of ${subject}`);
      };
      subscriptions.push(nc.subscribe(reply, { callback }));
      nc.publish(subject, body, { reply });
    },
  })),
});

/** Publishes all that the attacker may not receive, with the credentials of users that may publish it. */
export const publishForeign = async ({ attacker, listeners }: Scene): Promise<void> => {
  for (const { user, publish } of PARTIES.filter((one) => one.user !== attacker.user)) {
    const nc = listeners.connectionOf(user);
    const subjects = publish.filter((pattern) => !isOfJetStream(pattern)).map(exampleOf);
    for (const subject of subjects.filter((one) => !isCovered(attacker.subscribe, one))) {
      // The acknowledgement shows that the stream has stored the event.
      if (/^(evt|audit)\./.test(subject)) await nc.request(subject, MARKER).catch(() => undefined);
      else nc.publish(subject, MARKER);
    }
    await nc.flush();
  }
};

/** Subscribes to the subjects of others, and joins the queue groups of services, while the others publish. */
const subscribeGroup = (attacker: Party): Group => ({
  kind: 'subscribe',
  readsOnly: true,
  attempts: foreignPatterns(attacker)
    .flatMap((pattern) => {
      const service = /^call\.(\w+)\./.exec(pattern)?.[1];
      return service === undefined ? [{ pattern }] : [{ pattern }, { pattern, queue: service }];
    })
    .map(({ pattern, ...group }) => ({
      target: pattern,
      run: ({ nc, leaks, subscriptions }) => {
        const callback = (error: Error | null, { subject }: Msg): void => {
          if (error === null && !isCovered(attacker.subscribe, subject)) leaks.push(`the attacker received ${subject}`);
        };
        subscriptions.push(nc.subscribe(pattern, { ...group, callback }));
      },
    })),
  isHandled: async (scene) => {
    await publishForeign(scene);
    return true;
  },
});

/** Attempts of the attacker without the help of the broker or a service. */
export const directGroups = (attacker: Party, extent: Extent): Group[] => [
  publishGroup(attacker, extent),
  readGroup(attacker),
  subscribeGroup(attacker),
];
