import { createClient } from '../../../libs/client/src/index.ts';
import { ALL_ROLES, type Role } from '../../../libs/contracts/src/scalars.ts';
import { newId } from '../../../libs/kit/src/base/ids.ts';
import { issueToken, type Keys } from '@teaching/local/keys.ts';
import { DEMO_ORG } from '@teaching/local/welcome.ts';

const TOKEN_SECONDS = 3_600;

/** A person whose screens are pictured. */
export interface Viewer {
  /** Place and role, as in `school-teacher`. */
  name: string;
  token: string;
}

/** A person of each role: the first in the demo school's directory, and one in an empty organization. */
export const viewersOf = async (address: string, keys: Keys): Promise<Viewer[]> => {
  const tokenOf = (org: string, role: Role, sub = `demo-${role.toLowerCase()}`): string =>
    issueToken(keys, { org, sub, roles: [role], ttlSeconds: TOKEN_SECONDS });
  const client = createClient({ base_url: address, token: () => tokenOf(DEMO_ORG, 'SUPERVISOR') });
  const empty = newId();
  const ofRole = async (role: Role): Promise<Viewer[]> => {
    const { data } = await client.listMembers({ query: { role, status: 'active', limit: '1' } });
    const name = role.toLowerCase();
    return [
      { name: `school-${name}`, token: tokenOf(DEMO_ORG, role, data.items[0]?.user_id) },
      { name: `empty-${name}`, token: tokenOf(empty, role) },
    ];
  };
  return (await Promise.all(ALL_ROLES.map(ofRole))).flat();
};
