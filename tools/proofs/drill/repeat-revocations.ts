import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { waitFor } from '../system/poll.ts';
import type { System } from '../system/start-system.ts';

/** The statement of docs/backup.md that lists the revocations after `to`, which must be repeated after a restore. */
const askedFor = (to: Date): string => {
  const page = readFileSync(new URL('../../../docs/backup.md', import.meta.url), 'utf8');
  const [, text] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
  if (text === undefined) throw new Error('docs/backup.md contains no SQL statement');
  return text.replaceAll('2026-11-21T10:00:00Z', to.toISOString());
};

/** A row that the statement of docs/backup.md returns. */
export interface Revocation {
  org_id: string;
  user_id: string | null;
  what: string;
}

const WITHIN_MS = 20_000;

/** Creates an organization with three members who are signed out, deactivated and erased after the restore point. */
export const createRevokedMembers = async (system: System) => {
  const org = randomUUID();
  const [signedOut, inactive, erased] = ['signed-out', 'inactive', 'erased'];
  const path = '/ws/member';
  const send = async (ask: Parameters<System['api']>[0]): Promise<void> => {
    const { status, body } = await system.api(ask);
    if (status >= 300) throw new Error(`${ask.path} returned ${status} ${JSON.stringify(body)}`);
  };
  const list = (...ids: string[]): Promise<void> => {
    const members = ids.map((user_id) => ({ user_id, role: 'TEACHER', display_name: user_id }));
    return send({ method: 'PUT', path: `${path}/bulk`, org, idempotencyKey: randomUUID(), body: { members } });
  };
  const post = (user_id: string, action: string, body: object): Promise<void> =>
    send({ method: 'POST', path: `${path}/${user_id}/${action}`, org, idempotencyKey: randomUUID(), body });
  const signOut = (): Promise<void> => post(signedOut, 'sign-out', {});
  const deactivate = (): Promise<void> => post(inactive, 'deactivate', { reason: 'left' });
  const status = async (sub: string): Promise<number> =>
    (await system.api({ path: '/clazz', org, as: 'TEACHER', sub })).status;
  const waitForStatus = (wanted: number): Promise<void> =>
    waitFor(
      `tokens of revoked members return ${wanted}`,
      async () => {
        const [one, other] = await Promise.all([status(signedOut), status(inactive)]);
        return one === wanted && other === wanted;
      },
      WITHIN_MS,
    );

  await list(signedOut, inactive, erased);
  await waitForStatus(200);
  return {
    /** Signs out, deactivates and erases the members. Called after the restore point. */
    leave: async (): Promise<void> => {
      await signOut();
      await deactivate();
      await post(erased, 'erase', { reason: 'requested by the member' });
      await waitForStatus(401);
    },
    areBack: (): Promise<void> => waitForStatus(200),
    askedFor,
    /** Repeats the listed revocations. Returns one line for each that the list lacks. */
    playAgain: async (listed: readonly Revocation[]): Promise<string[]> => {
      const actions = new Map(
        listed.filter(({ org_id }) => org_id === org).map(({ user_id, what }) => [user_id, what]),
      );
      if (actions.has(signedOut)) await signOut();
      if (actions.has(inactive)) await deactivate();
      if (actions.has(erased)) await post(erased, 'erase', { reason: 'requested by the member' });
      await waitForStatus(401);
      const wanted: [string, string][] = [
        [signedOut, 'sign out'],
        [inactive, 'set inactive'],
        [erased, 'erase'],
      ];
      return wanted
        .filter(([id, what]) => actions.get(id) !== what)
        .map(([id, what]) => `the list lacks: ${what} ${id}`);
    },
  };
};
