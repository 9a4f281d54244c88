import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { common } from '../common-texts.ts';
import { focusedPlace, restoreFocus } from '../focus.ts';
import { Icon } from './icon.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Acts, at the lower edge. Inside a `form` of the children, put a `footer` there instead. */
  footer?: ComponentChildren;
  children: ComponentChildren;
}

/** A native modal dialog; on a phone it comes from below. It is open as long as it is rendered. */
export const Dialog = ({ title, onClose, footer, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget | null>(null);
  const heading = useId();
  // Before it is gone: what had the focus has it again.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = focusedPlace();
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before !== undefined) restoreFocus(before);
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
        // Who selects text and lets go beside it clicks what both lie in.
        if (target === element.current && pressed.current === target) onClose();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="button quiet icon" aria-label={common.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
};
