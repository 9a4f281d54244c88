import { useEffect, useRef, useState } from 'preact/hooks';

/** Without another letter for so long, what was typed is looked for. */
const REST_MS = 200;

interface SearchProps {
  label: string;
  /** What is looked for. */
  value: string;
  /** Told when typing rests, and not of the letters that a Chinese word is composed of. */
  onSearch: (keyword: string) => void;
}

/** A field for some letters of what is looked for. */
export const Search = ({ label, value, onSearch }: SearchProps) => {
  const [typed, setTyped] = useState(value);
  const [isComposing, setComposing] = useState(false);
  const told = useRef(value);
  const tell = useRef(onSearch);
  tell.current = onSearch;
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    const keyword = typed.trim();
    if (isComposing || keyword === told.current) return undefined;
    const timer = setTimeout(() => {
      told.current = keyword;
      tell.current(keyword);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [typed, isComposing]);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="search"
        autocomplete="off"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onCompositionStart={() => setComposing(true)}
        onCompositionEnd={() => setComposing(false)}
      />
    </label>
  );
};
