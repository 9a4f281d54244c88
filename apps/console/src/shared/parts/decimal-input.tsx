import { useLayoutEffect, useRef } from 'preact/hooks';
import { type DecimalRange, isDecimalIn } from '../decimal.rules.ts';
import { decimalRule } from '../field-rules.ts';

interface DecimalInputProps extends DecimalRange {
  /** The typed text, with a point or a comma; `toDecimal` converts it. */
  value: string;
  onValue: (typed: string) => void;
  required?: boolean;
}

/** The field of a decimal. Outside its range it is invalid, with the rule as its message. */
export const DecimalInput = ({ min, max, places, value, onValue, required = false }: DecimalInputProps) => {
  const input = useRef<HTMLInputElement>(null);
  const range = { min, max, places };
  const problem = isDecimalIn(value, range) ? '' : decimalRule(range);
  useLayoutEffect(() => input.current?.setCustomValidity(problem), [problem]);
  return (
    <input
      ref={input}
      inputMode="decimal"
      autocomplete="off"
      required={required}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
};
