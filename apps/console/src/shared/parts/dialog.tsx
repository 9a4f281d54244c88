import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { common } from '../common-texts.ts';
import { closeOnBack } from '../dialog-history.ts';
import { focusedPlace, restoreFocus } from '../focus.ts';
import { session } from '../session.ts';
import { Icon } from './icon.tsx';
import { SessionEnded } from './session-ended.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Buttons at the lower edge. If the children contain a `form`, put a `footer` into it instead. */
  footer?: ComponentChildren;
  children: ComponentChildren;
}

/**
 * A native modal dialog; on a phone it slides in from below. It is open while it is rendered. Back calls `onClose`.
 */
export const Dialog = ({ title, onClose, footer, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget | null>(null);
  const heading = useId();
  const close = useRef(onClose);
  close.current = onClose;
  // A layout effect runs before the dialog is removed, so that the earlier element gets the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    const previousFocus = focusedPlace();
    dialog?.showModal();
    const removeEntry = closeOnBack(() => close.current());
    return () => {
      dialog?.close();
      removeEntry();
      if (previousFocus !== undefined) restoreFocus(previousFocus);
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={({ target }) => {
        pressed.current = target;
      }}
      onClick={({ target }) => {
        // Dragging from inside to outside clicks the dialog itself and must not close it.
        if (target === element.current && pressed.current === target) onClose();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="button quiet icon" aria-label={common.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {session.value.state === 'ended' && (
        <div class="body">
          <SessionEnded />
        </div>
      )}
      {children}
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
};
