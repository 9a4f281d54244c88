import type { Group } from './attempts.ts';
import type { Party } from './parties.ts';
import { answerOf, type BrokerRequest, requestsOf, send } from './requests.ts';
import { exampleOf, isCovered } from './subject-patterns.ts';
import { type Extent, MARKER, replyTargets, type Target } from './targets.ts';

/** The request with each target as its reply subject. Then the same request with an inbox of the attacker. */
const groupOf = (request: BrokerRequest, targets: readonly Target[]): Group => {
  let current = request;
  return {
    kind: request.kind,
    prepare: async (scene) => {
      current = { ...request, subject: (await request.prepare?.(scene)) ?? request.subject };
    },
    attempts: targets.map(({ subject }) => ({ target: subject, run: (scene) => send(scene, current, subject) })),
    isHandled: async (scene) => (await answerOf(scene, current)) !== undefined,
  };
};

/** Requests to services, which would reply with their rights. */
const callGroup = (attacker: Party, targets: readonly Target[]): Group => {
  const subjects = attacker.publish.filter((pattern) => !/^(\$|evt|audit)/.test(pattern)).map(exampleOf);
  return {
    kind: 'request to a service',
    attempts: targets.map(({ subject: reply }) => ({
      target: reply,
      run: ({ nc }) => {
        for (const subject of subjects) nc.publish(subject, `{"request_id":"${MARKER}"}\n{}`, { reply });
      },
    })),
  };
};

/** A request to itself: a broker that permits responses lets the attacker publish to the reply subject. */
const selfGroup = (attacker: Party, targets: readonly Target[]): Group => {
  const own = attacker.publish.map(exampleOf).filter((subject) => isCovered(attacker.subscribe, subject));
  return {
    kind: 'request to itself',
    prepare: async ({ nc, subscriptions }) => {
      for (const subject of own)
        subscriptions.push(
          nc.subscribe(subject, { callback: (_error, message) => void message.respond(message.data) }),
        );
      await nc.flush();
    },
    attempts: targets.map(({ subject: reply, body }) => ({
      target: reply,
      run: async ({ nc }) => {
        for (const subject of own) nc.publish(subject, body, { reply });
        await nc.flush();
      },
    })),
  };
};

/** Requests that name the subjects of others for the reply. */
export const replyGroups = (attacker: Party, extent: Extent): Group[] => {
  const targets = replyTargets(attacker, extent);
  return [
    ...requestsOf(attacker, extent).map((request) => groupOf(request, targets)),
    callGroup(attacker, targets),
    selfGroup(attacker, targets),
  ];
};
