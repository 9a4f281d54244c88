import { createClient } from '../../../libs/client/src/index.ts';
import { ALL_ROLES, type Role } from '../../../libs/contracts/src/scalars.ts';
import { newId } from '../../../libs/kit/src/base/ids.ts';
import { issueToken, type Keys } from '@teaching/local/keys.ts';
import { DEMO_ORG } from '@teaching/local/welcome.ts';

const TOKEN_SECONDS = 3_600;

/** Somebody whose screens are looked at. */
export interface Viewer {
  /** `school-teacher`: where and as what. */
  name: string;
  token: string;
}

/** Somebody of each role: the first whom the demo school's directory lists, and whoever it may be in an organization with nothing. */
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
