/** A focused element and its ancestors, innermost first. */
interface FocusTarget {
  element: HTMLElement;
  ancestors: readonly HTMLElement[];
  /** Whether the focus is visible, so that the keyboard was used. */
  isFocusVisible: boolean;
}

const focusTargetOf = (element: HTMLElement): FocusTarget => {
  const ancestors: HTMLElement[] = [];
  for (let parent = element.parentElement; parent !== null && parent !== document.body; parent = parent.parentElement)
    ancestors.push(parent);
  return { element, ancestors, isFocusVisible: element.matches(':focus-visible') };
};

/** The element that has the focus now; undefined if none has. */
export const focusedPlace = (): FocusTarget | undefined => {
  const element = document.activeElement;
  return element instanceof HTMLElement && element !== document.body ? focusTargetOf(element) : undefined;
};

/** An element is gone if it was removed or is disabled. An element that is busy for a moment is not gone. */
const isGone = (element: HTMLElement): boolean =>
  !element.isConnected || (element.matches(':disabled') && element.getAttribute('aria-busy') !== 'true');

/** The row or heading nearest to a removed element. After a change of screen, the title of the new screen. */
const nearestTarget = ({ ancestors }: FocusTarget): HTMLElement | null => {
  for (const ancestor of ancestors.filter(({ isConnected }) => isConnected)) {
    if (ancestor.matches('li[tabindex]')) return ancestor;
    const heading = ancestor.querySelector<HTMLElement>('h1, h2, h3');
    if (heading !== null && ancestor.closest('dialog:not([open])') === null) return heading;
  }
  return document.querySelector('main h1');
};

/**
 * Moves the focus to an element. If it is gone, the row or heading nearest to it gets the focus, where the next key
 * does nothing by mistake.
 */
export const restoreFocus = (target: FocusTarget): void => {
  const to = isGone(target.element) ? nearestTarget(target) : target.element;
  if (to === null) return;
  if (to.tabIndex < 0 && !to.hasAttribute('tabindex')) to.tabIndex = -1;
  to.focus({ preventScroll: !target.isFocusVisible });
};

/**
 * Keeps the focus on the page when the focused element is removed, for example with a finished row or an old screen.
 */
export const keepFocus = (): void => {
  let last: FocusTarget | undefined;
  const isLost = ({ element }: FocusTarget): boolean =>
    document.hasFocus() && (document.activeElement === document.body || document.activeElement === element);
  document.addEventListener('focusin', () => {
    last = focusedPlace();
  });
  // A click on an empty area clears the focus on purpose.
  document.addEventListener('pointerdown', () => {
    last = undefined;
  });
  new MutationObserver(() => {
    if (last === undefined || !isLost(last)) return;
    if (isGone(last.element)) restoreFocus(last);
    else if (document.activeElement === document.body && !last.element.matches(':disabled')) last.element.focus();
  }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] });
};
