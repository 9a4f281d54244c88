import { useLayoutEffect, useRef } from 'preact/hooks';

interface ReasonFieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  required?: boolean;
  /** Whether the field takes the focus when it appears. */
  hasFocus?: boolean;
}

/** The field of a reason, of at most 1,000 characters. */
export const ReasonField = ({ label, value, onValue, required = false, hasFocus = false }: ReasonFieldProps) => {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (hasFocus) input.current?.focus();
  }, []);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        ref={input}
        value={value}
        maxLength={1_000}
        required={required}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  );
};
