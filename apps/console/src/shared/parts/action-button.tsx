import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface ActionButtonProps {
  kind?: 'main' | 'quiet' | 'danger' | '';
  label?: string;
  run: () => unknown;
  children: ComponentChildren;
}

/** A button that is disabled until the action that it started has finished. */
export const ActionButton = ({ kind = '', label, run, children }: ActionButtonProps) => {
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
