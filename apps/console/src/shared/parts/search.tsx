import { useEffect, useRef, useState } from 'preact/hooks';

/** The search starts after this pause in typing. */
const PAUSE_MS = 200;

interface SearchProps {
  label: string;
  /** The current keyword. */
  value: string;
  /** Called after a pause in typing, and not while a Chinese word is being composed. */
  onSearch: (keyword: string) => void;
  /** Called with the keyword on Enter, which does not wait for the pause. */
  onEnter?: (keyword: string) => void;
  /** Whether the field has the focus when its dialog opens. */
  hasFocus?: boolean;
}

/** A search field. */
export const Search = ({ label, value, onSearch, onEnter, hasFocus = false }: SearchProps) => {
  const [typed, setTyped] = useState(value);
  const [isComposing, setComposing] = useState(false);
  const lastKeyword = useRef(value);
  const searchHandler = useRef(onSearch);
  searchHandler.current = onSearch;
  useEffect(() => {
    if (value === lastKeyword.current) return;
    lastKeyword.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    const keyword = typed.trim();
    if (isComposing || keyword === lastKeyword.current) return undefined;
    const timer = setTimeout(() => {
      lastKeyword.current = keyword;
      searchHandler.current(keyword);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, isComposing]);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="search"
        autocomplete="off"
        autofocus={hasFocus}
        value={typed}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing || onEnter === undefined) return;
          event.preventDefault();
          const keyword = typed.trim();
          if (keyword !== lastKeyword.current) {
            lastKeyword.current = keyword;
            onSearch(keyword);
          }
          onEnter(keyword);
        }}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onCompositionStart={() => setComposing(true)}
        onCompositionEnd={() => setComposing(false)}
      />
    </label>
  );
};
