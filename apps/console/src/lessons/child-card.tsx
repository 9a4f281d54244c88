import type { ComponentChildren } from 'preact';
import type { Child } from './child.rules.ts';

/** A card about one child. The child's name is shown if there are several children. */
export const ChildCard = ({
  title,
  child,
  isNamed,
  children,
}: {
  title: string;
  child: Child;
  isNamed: boolean;
  children: ComponentChildren;
}) => (
  <section class="card part">
    <header>
      <h2>{title}</h2>
      {isNamed && <span class="child">{child.name}</span>}
    </header>
    {children}
  </section>
);
