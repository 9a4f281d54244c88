import { useAddress } from '../shared/address.ts';
import { storeText, storedText } from '../shared/stored-text.ts';
import type { Me } from '../shared/session.ts';
import type { Child } from './child.rules.ts';

/** The logged-in student, then the children of the logged-in guardian. */
export const childrenOf = (me: Me): readonly Child[] => [
  ...(me.roles.includes('STUDENT')
    ? [{ id: me.user_id, name: me.member?.display_name ?? me.user_id, isSelf: true }]
    : []),
  ...(me.roles.includes('GUARDIAN')
    ? me.children.map(({ user_id, display_name }) => ({ id: user_id, name: display_name, isSelf: false }))
    : []),
];

/** The choice that shows all children. */
export const ALL_CHILDREN = 'all';
const STORAGE_KEY = 'lessons-child';

/** The chosen child: from the address, else from the last visit, else all children. */
export const useChild = (all: readonly Child[]) => {
  const { query, put } = useAddress();
  const wanted = [query['child'], storedText(STORAGE_KEY)].find(
    (choice) => choice === ALL_CHILDREN || all.some(({ id }) => id === choice),
  );
  const child = all.find(({ id }) => id === wanted);
  const shown = child === undefined ? all : [child];
  return {
    shown,
    value: child?.id ?? ALL_CHILDREN,
    choose: (value: string): void => {
      storeText(STORAGE_KEY, value);
      put({ child: value });
    },
  };
};
