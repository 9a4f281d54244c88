import { type QueryState, useQuery } from '../shared/query.ts';
import { api } from '../shared/api.ts';
import { common } from '../shared/common-texts.ts';
import { collator } from '../shared/format.ts';
import { language } from '../shared/language.ts';
import { type ChosenFilters, type FilterKind, FILTER_KINDS } from './timetable.state.ts';

export interface PickerItem {
  id: string;
  name: string;
}
interface ItemPage {
  items: PickerItem[];
  next_cursor: string | null;
}

const PAGE_SIZE = '100';

const listPeople = async (role: 'TEACHER' | 'STUDENT', query: Query, signal?: AbortSignal): Promise<ItemPage> => {
  const { data } = await api.listMembers(
    { query: { ...query, role, status: 'active', sort: 'display_name' } },
    signal ? { signal } : {},
  );
  return { ...data, items: data.items.map(({ user_id, display_name }) => ({ id: user_id, name: display_name })) };
};

interface Query {
  limit: string;
  keyword?: string;
  cursor?: string;
}

const listItems = async (kind: FilterKind, query: Query, signal?: AbortSignal): Promise<ItemPage> => {
  const options = signal ? { signal } : {};
  switch (kind) {
    case 'teacher':
      return listPeople('TEACHER', query, signal);
    case 'student':
      return listPeople('STUDENT', query, signal);
    case 'room': {
      const { data } = await api.listRooms({ query: { ...query, sort: 'name' } }, options);
      return { ...data, items: data.items.map(({ name }) => ({ id: name, name })) };
    }
    case 'clazz': {
      const { data } = await api.listClazzes({ query: { ...query, status: 'draft,active', sort: 'name' } }, options);
      return { ...data, items: data.items.map(({ id, name }) => ({ id, name })) };
    }
    default:
      return kind satisfies never;
  }
};

/** The items whose name matches the keyword, the first `pages` pages, by name. */
export const usePickerItems = (
  kind: FilterKind,
  keyword: string,
  pages: number,
): QueryState<{ items: PickerItem[]; isAll: boolean }> =>
  useQuery(
    `picks ${kind} ${pages} ${language.value} ${keyword}`,
    async (signal) => {
      const items: PickerItem[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < pages; page += 1) {
        const found = await listItems(
          kind,
          {
            limit: PAGE_SIZE,
            ...(keyword === '' ? {} : { keyword }),
            ...(cursor === undefined ? {} : { cursor }),
          },
          signal,
        );
        items.push(...found.items);
        cursor = found.next_cursor ?? undefined;
        if (cursor === undefined) break;
      }
      const { compare } = collator();
      return { items: items.toSorted((a, b) => compare(a.name, b.name)), isAll: cursor === undefined };
    },
    { kinds: ['member', 'room', 'clazz'] },
  );

const nameOf = async (kind: FilterKind, id: string): Promise<string> => {
  if (kind === 'room') return id;
  try {
    if (kind === 'clazz') return (await api.getClazz({ path: { id } })).data.name;
    return (await api.getMember({ path: { user_id: id } })).data.display_name;
  } catch {
    return common.notListed;
  }
};

/** The names of the items that the address filters by. */
export const useNames = (chosen: ChosenFilters): QueryState<Partial<Record<FilterKind, string>>> =>
  useQuery(
    `names ${JSON.stringify(chosen)}`,
    async () => {
      const named = FILTER_KINDS.flatMap((kind) => {
        const id = chosen[kind];
        return id === undefined ? [] : [nameOf(kind, id).then((name) => [kind, name] as const)];
      });
      return Object.fromEntries(await Promise.all(named));
    },
    { kinds: ['member', 'clazz'] },
  );
