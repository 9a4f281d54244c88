/** An element that has the focus, and what it stands in, innermost first. */
interface Place {
  element: HTMLElement;
  within: readonly HTMLElement[];
  /** Whether it was come to by keyboard. */
  isShown: boolean;
}

const placeOf = (element: HTMLElement): Place => {
  const within: HTMLElement[] = [];
  for (let one = element.parentElement; one !== null && one !== document.body; one = one.parentElement)
    within.push(one);
  return { element, within, isShown: element.matches(':focus-visible') };
};

/** Where the focus is now. */
export const focusedPlace = (): Place | undefined => {
  const element = document.activeElement;
  return element instanceof HTMLElement && element !== document.body ? placeOf(element) : undefined;
};

/** Busy for a moment is not gone. */
const isGone = (it: HTMLElement): boolean =>
  !it.isConnected || (it.matches(':disabled') && it.getAttribute('aria-busy') !== 'true');

/** What the place is called, or stands in, as far as it is still there; of a screen that was left, the next one's title. */
const near = ({ within }: Place): HTMLElement | null => {
  for (const one of within.filter(({ isConnected }) => isConnected)) {
    if (one.matches('li[tabindex]')) return one;
    const heading = one.querySelector<HTMLElement>('h1, h2, h3');
    if (heading !== null && one.closest('dialog:not([open])') === null) return heading;
  }
  return document.querySelector('main h1');
};

/** Goes back to a place; where it is gone, to what it stood in: by name, so that the next key does nothing by mistake. */
export const restoreFocus = (place: Place): void => {
  const to = isGone(place.element) ? near(place) : place.element;
  if (to === null) return;
  if (to.tabIndex < 0 && !to.hasAttribute('tabindex')) to.tabIndex = -1;
  to.focus({ preventScroll: !place.isShown });
};

/** The focus is never lost: what has it may vanish, with a row that is done or a screen that is left. */
export const keepFocus = (): void => {
  let last: Place | undefined;
  const isLost = ({ element }: Place): boolean =>
    document.hasFocus() && (document.activeElement === document.body || document.activeElement === element);
  document.addEventListener('focusin', () => {
    last = focusedPlace();
  });
  // Who clicks beside everything has no place.
  document.addEventListener('pointerdown', () => {
    last = undefined;
  });
  new MutationObserver(() => {
    if (last === undefined || !isLost(last)) return;
    if (isGone(last.element)) restoreFocus(last);
    else if (document.activeElement === document.body && !last.element.matches(':disabled')) last.element.focus();
  }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] });
};
