import { useId } from 'react';
import { Copyable } from './copy';
import { useFocusOnce } from './use-focus-once';

interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  readonly value: string;
}

/** A secret that nobody can read again. */
export function ShownOnce({ title, text, value }: ShownOnceProps) {
  const id = useId();
  const heading = useFocusOnce<HTMLHeadingElement>();
  return (
    <section className="effect" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p>{text}</p>
      <Copyable value={value} />
    </section>
  );
}
