import { useId } from 'preact/hooks';

interface SegmentsProps<V extends string> {
  label: string;
  options: readonly (readonly [V, string])[];
  value: V;
  onChange: (value: V) => void;
}

/** A choice of one of a few visible options: radio buttons, with arrow keys. */
export const Segments = <V extends string>({ label, options, value, onChange }: SegmentsProps<V>) => {
  const name = useId();
  return (
    <fieldset>
      <legend class="visually-hidden">{label}</legend>
      <div class="segments">
        {options.map(([option, text]) => (
          <label key={option}>
            <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
};
