import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { waitFor } from '../system/poll.ts';
import type { System } from '../system/start-system.ts';

/** What docs/backup.md has an operator ask the story that is left: what has to be done again. */
const askedFor = (to: Date): string => {
  const page = readFileSync(new URL('../../../docs/backup.md', import.meta.url), 'utf8');
  const [, text] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
  if (text === undefined) throw new Error('docs/backup.md has no statement any more');
  return text.replaceAll('2026-11-21T10:00:00Z', to.toISOString());
};

/** As the statement of docs/backup.md answers. */
export interface RepeatedAction {
  org_id: string;
  user_id: string | null;
  what: string;
}

const WITHIN_MS = 20_000;

/** People of an organization of their own whom somebody shuts out or erases after the instant that is gone back to. */
export const createLeavers = async (system: System) => {
  const org = randomUUID();
  const [signedOut, inactive, erased] = ['signed-out', 'inactive', 'erased'];
  const path = '/ws/member';
  const done = async (ask: Parameters<System['api']>[0]): Promise<void> => {
    const { status, body } = await system.api(ask);
    if (status >= 300) throw new Error(`${ask.path} was answered by ${status} ${JSON.stringify(body)}`);
  };
  const list = (...ids: string[]): Promise<void> => {
    const members = ids.map((user_id) => ({ user_id, role: 'TEACHER', display_name: user_id }));
    return done({ method: 'PUT', path: `${path}/bulk`, org, idempotencyKey: randomUUID(), body: { members } });
  };
  const post = (user_id: string, act: string, body: object): Promise<void> =>
    done({ method: 'POST', path: `${path}/${user_id}/${act}`, org, idempotencyKey: randomUUID(), body });
  const signOut = (): Promise<void> => post(signedOut, 'sign-out', {});
  const deactivate = (): Promise<void> => post(inactive, 'deactivate', { reason: 'left' });
  const status = async (sub: string): Promise<number> =>
    (await system.api({ path: '/clazz', org, as: 'TEACHER', sub })).status;
  const are = (wanted: number): Promise<void> =>
    waitFor(
      `tokens of who was shut out are answered by ${wanted}`,
      async () => {
        const [one, other] = await Promise.all([status(signedOut), status(inactive)]);
        return one === wanted && other === wanted;
      },
      WITHIN_MS,
    );

  await list(signedOut, inactive, erased);
  await are(200);
  return {
    /** After the instant. */
    leave: async (): Promise<void> => {
      await signOut();
      await deactivate();
      await post(erased, 'erase', { reason: 'asked for it' });
      await are(401);
    },
    areBack: (): Promise<void> => are(200),
    askedFor,
    /** Does again what the left story tells; answers what is missing in it. */
    playAgain: async (told: readonly RepeatedAction[]): Promise<string[]> => {
      const theirs = new Map(told.filter(({ org_id }) => org_id === org).map(({ user_id, what }) => [user_id, what]));
      if (theirs.has(signedOut)) await signOut();
      if (theirs.has(inactive)) await deactivate();
      if (theirs.has(erased)) await post(erased, 'erase', { reason: 'asked for it' });
      await are(401);
      const wanted: [string, string][] = [
        [signedOut, 'sign out'],
        [inactive, 'set inactive'],
        [erased, 'erase'],
      ];
      return wanted
        .filter(([id, what]) => theirs.get(id) !== what)
        .map(([id, what]) => `nobody was told to ${what} ${id}`);
    },
  };
};
