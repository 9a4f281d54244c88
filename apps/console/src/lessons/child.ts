import { useAddress } from '../shared/address.ts';
import { storeText, storedText } from '../shared/stored-text.ts';
import type { Me } from '../shared/session.ts';
import type { Child } from './child.rules.ts';

/** The student themselves, then the children whose guardian they are. */
export const childrenOf = (me: Me): readonly Child[] => [
  ...(me.roles.includes('STUDENT')
    ? [{ id: me.user_id, name: me.member?.display_name ?? me.user_id, isSelf: true }]
    : []),
  ...(me.roles.includes('GUARDIAN')
    ? me.children.map(({ user_id, display_name }) => ({ id: user_id, name: display_name, isSelf: false }))
    : []),
];

/** All of them together. */
export const ALL = 'all';
const KEPT = 'lessons-child';

/** Which of them is looked at: as the address says, else as it was the last time, else all. */
export const useChild = (all: readonly Child[]) => {
  const { query, put } = useAddress();
  const wanted = [query['child'], storedText(KEPT)].find((one) => one === ALL || all.some(({ id }) => id === one));
  const one = all.find(({ id }) => id === wanted);
  const shown = one === undefined ? all : [one];
  return {
    shown,
    value: one?.id ?? ALL,
    choose: (value: string): void => {
      storeText(KEPT, value);
      put({ child: value });
    },
  };
};
