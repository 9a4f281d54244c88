import { signal } from '@preact/signals';
import { common } from '../common-texts.ts';
import { Icon } from './icon.tsx';

interface Toast {
  id: number;
  text: string;
  action: { label: string; run: () => unknown } | undefined;
  about: string | undefined;
}

const SHOWN_MS = 6_000;
/** A toast with an action stays longer, so that the person can undo. */
const SHOWN_WITH_ACTION_MS = 12_000;

const toasts = signal<readonly Toast[]>([]);
let next = 1;

const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
};

/**
 * Shows a short message about a finished action, with a button if `action` is given. It replaces the earlier messages
 * about the same record `about`: what they offer to undo is no longer the last action.
 */
export const toast = (text: string, action?: Toast['action'], about?: string): void => {
  const id = next++;
  const others = toasts.value.filter((shown) => about === undefined || shown.about !== about);
  toasts.value = [...others.slice(-2), { id, text, action, about }];
  setTimeout(() => dismiss(id), action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS);
};

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, action }) => (
      <div class="toast" key={id}>
        <span>{text}</span>
        {action && (
          <button
            type="button"
            onClick={() => {
              dismiss(id);
              void action.run();
            }}
          >
            {action.label}
          </button>
        )}
        <button type="button" aria-label={common.close} onClick={() => dismiss(id)}>
          <Icon name="close" size={16} />
        </button>
      </div>
    ))}
  </div>
);
