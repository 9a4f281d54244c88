import { useEffect, useState } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Empty } from '../shared/parts/message.tsx';
import { Search } from '../shared/parts/search.tsx';
import { type PickerItem, usePickerItems } from './picker.state.ts';
import { t } from './timetable-texts.ts';
import type { FilterKind } from './timetable.state.ts';

interface PickerProps {
  kind: FilterKind;
  title: string;
  /** The label of the choice that picks no item; without it, an item must be picked. */
  none?: string;
  onPick: (picked: PickerItem | undefined) => void;
  onClose: () => void;
}

/** Picks one of many items by a search in their names. */
export const Picker = ({ kind, title, none, onPick, onClose }: PickerProps) => {
  const [keyword, setKeyword] = useState('');
  const [pages, setPages] = useState(1);
  const [entered, setEntered] = useState<string>();
  const search = (text: string): void => {
    setKeyword(text);
    setPages(1);
    setEntered(undefined);
  };
  const picks = usePickerItems(kind, keyword, pages);
  const found = picks.data.value;
  // Enter picks the only match, as soon as the answer is there.
  useEffect(() => {
    if (entered !== keyword || found === undefined) return;
    // A later Enter may be waiting for the next painting.
    setEntered((latest) => (latest === entered ? undefined : latest));
    const [only, ...others] = found.items;
    if (only !== undefined && others.length === 0) onPick(only);
  }, [entered, found]);
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="body picker">
        <Search label={t.search} value={keyword} onSearch={search} onEnter={setEntered} hasFocus />
        {none !== undefined && (
          <button type="button" class="pick" onClick={() => onPick(undefined)}>
            {none}
          </button>
        )}
        <QueryView query={picks} rows={6}>
          {({ items, isAll }) =>
            items.length === 0 ? (
              <Empty title={keyword === '' ? t.noneYet : t.nobody} />
            ) : (
              <>
                <ul>
                  {items.map((item) => (
                    <li key={item.id}>
                      <button type="button" class="pick" onClick={() => onPick(item)}>
                        {item.name}
                      </button>
                    </li>
                  ))}
                </ul>
                {!isAll && (
                  <button type="button" class="button" onClick={() => setPages(pages + 1)}>
                    {common.more}
                  </button>
                )}
              </>
            )
          }
        </QueryView>
      </div>
    </Dialog>
  );
};
