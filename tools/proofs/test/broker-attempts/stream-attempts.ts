import { brokerSubjects } from '../../../../libs/kit/src/index.ts';
import type { Attempt, Group, Scene } from './attempts.ts';
import { publishForeign } from './direct-attempts.ts';
import { isOfJetStream, type Party, PARTIES, STREAMS } from './parties.ts';
import { accountHeader, answerOf } from './requests.ts';
import { exampleOf, isCovered } from './subject-patterns.ts';
import { type Extent, PREFIXES, replyTargets, type Target } from './targets.ts';

/** A copy has its first message within this time, if the broker allows it. */
const COPY_MS = 40;

/** A stream of the attacker, with the subject of its messages. */
interface OwnStream {
  stream: string;
  subject: string;
}

const textOf = async (scene: Scene, subject: string, body: string): Promise<string> =>
  (await answerOf(scene, { kind: '', subject, body }))?.text ?? '';

/** Creates the stream after the broker has lost it. Resolves with whether the broker accepts the configuration. */
const createAnew = async (scene: Scene, { stream }: OwnStream, config: object): Promise<boolean> => {
  await scene.state.deleteStream(stream);
  const body = JSON.stringify({ name: stream, retention: 'limits', storage: 'file', max_bytes: 1_000_000, ...config });
  return !(await textOf(scene, `$JS.API.STREAM.CREATE.${stream}`, body)).includes('"error"');
};

const hasCopied = async (scene: Scene, { stream }: OwnStream): Promise<boolean> => {
  const end = performance.now() + COPY_MS;
  while (performance.now() < end)
    if (/"messages":\s*[1-9]/.test(await textOf(scene, `$JS.API.STREAM.INFO.${stream}`, ''))) return true;
  return false;
};

/** The stream publishes its messages on a foreign subject. */
const republish = (own: OwnStream, { subject, body }: Target, headers_only: boolean): Attempt => ({
  target: subject,
  run: async (scene) => {
    const config = { subjects: [own.subject], republish: { src: own.subject, dest: subject, headers_only } };
    if (await createAnew(scene, own, config)) await textOf(scene, own.subject, headers_only ? '' : body);
  },
});

/** The stream copies a foreign one. */
const copies = (own: OwnStream, foreign: string): Attempt[] =>
  [{ name: foreign }, ...PREFIXES.map((api) => ({ name: foreign, external: { api } }))]
    .flatMap((from) => [{ mirror: from }, { sources: [from] }])
    .map((config) => ({
      target: JSON.stringify(config),
      run: async (scene) => {
        if ((await createAnew(scene, own, config)) && (await hasCopied(scene, own)))
          scene.leaks.push(`the attacker copied ${foreign}`);
      },
    }));

/** The broker delivers the messages of a foreign stream to a foreign subject. */
const deliver = (own: OwnStream, foreign: string, { subject }: Target): Attempt => ({
  target: subject,
  run: async (scene) => {
    for (const api of PREFIXES) {
      const mirror = { name: foreign, external: { api, deliver: subject } };
      if (await createAnew(scene, own, { mirror })) await hasCopied(scene, own);
    }
  },
});

/** The stream stores what others publish. */
const capture = (attacker: Party, own: OwnStream, pattern: string): Attempt => ({
  target: pattern,
  run: async (scene) => {
    if (!(await createAnew(scene, own, { subjects: [pattern], no_ack: true }))) return;
    await publishForeign(scene);
    const permitted = [...attacker.subscribe, ...attacker.publish, '$JS.>'];
    const stored = await scene.state.subjectsIn(own.stream);
    scene.leaks.push(...stored.filter((one) => !isCovered(permitted, one)).map((one) => `the attacker stored ${one}`));
  },
});

/** The stream is created in the account of a service that has lost its own stream. */
const createElsewhere = (own: OwnStream, foreign: (typeof STREAMS)[number]): Attempt => ({
  target: foreign.service,
  run: async (scene) => {
    await scene.state.deleteStream(foreign.stream);
    const body = JSON.stringify({ name: own.stream, subjects: ['intruder.>'], max_bytes: 1_000_000 });
    const subject = `$JS.API.STREAM.CREATE.${own.stream}`;
    await answerOf(scene, { kind: '', subject, body, header: accountHeader(foreign.service.toUpperCase()) });
    const intruders = await scene.state.removeIntruders(foreign.stream);
    scene.leaks.push(...intruders.map((one) => `${foreign.service} received the stream ${one}`));
    await scene.state.restore(foreign.stream);
  },
});

/** Streams that a service creates anew with a harmful configuration. */
export const streamGroups = (attacker: Party, extent: Extent): Group[] => {
  const some = <T>(list: readonly T[], count: number): readonly T[] => (extent.isFull ? list : list.slice(0, count));
  const own = STREAMS.filter(({ stream }) => attacker.streams.includes(stream));
  const others = STREAMS.filter(({ stream }) => !attacker.streams.includes(stream));
  const foreign = others.map(({ stream }) => stream);
  const used = PARTIES.filter(({ user }) => user !== attacker.user)
    .flatMap(({ publish }) => publish)
    .filter((one) => !isOfJetStream(one) && !isCovered(attacker.subscribe, exampleOf(one)));
  const targets = replyTargets(attacker, extent);
  const messages = replyTargets(attacker, { ...extent, isFull: false }).filter(
    ({ subject }) => !isOfJetStream(subject),
  );
  const deletions = targets.filter(({ subject }) => subject.startsWith('$JS.API.') && subject.includes('.DELETE.'));
  const republished = extent.isFull ? targets : [...messages, ...deletions];
  return some(own, 1).flatMap(({ stream, service, log }) => {
    const one = { stream, subject: exampleOf(brokerSubjects.events(service, log)) };
    const of = (kind: string, attempts: Attempt[], readsOnly = false): Group => ({
      kind: `${kind} by ${stream}`,
      attempts,
      readsOnly,
      isHandled: async ({ state }) => {
        await state.restore(stream);
        return true;
      },
    });
    return [
      of(
        'republish',
        republished.flatMap((target) => [republish(one, target, false), republish(one, target, true)]),
      ),
      of(
        'copy',
        some(foreign, 1).flatMap((name) => some(copies(one, name), 2)),
      ),
      of(
        'delivery',
        some(foreign, 0).flatMap((name) => messages.map((target) => deliver(one, name, target))),
      ),
      of(
        'creation in another account',
        extent.isCorrected ? others.map((other) => createElsewhere(one, other)) : [],
        true,
      ),
      of(
        'capture',
        some(['>', ...used], 1).map((pattern) => capture(attacker, one, pattern)),
        true,
      ),
    ];
  });
};
