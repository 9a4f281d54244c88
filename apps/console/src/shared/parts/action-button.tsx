import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface ActProps {
  kind?: 'main' | 'quiet' | 'danger' | '';
  label?: string;
  run: () => unknown;
  children: ComponentChildren;
}

/** A button that waits for what it started. */
export const ActionButton = ({ kind = '', label, run, children }: ActProps) => {
  const [isBusy, setBusy] = useState(false);
  return (
    <button
      type="button"
      class={`button ${kind}`}
      aria-label={label}
      aria-busy={isBusy}
      disabled={isBusy}
      onClick={() => {
        setBusy(true);
        void Promise.resolve(run()).finally(() => setBusy(false));
      }}
    >
      {children}
    </button>
  );
};
