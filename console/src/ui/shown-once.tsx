import { useId } from 'react';
import { Copyable } from './copy';

interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  readonly value: string;
}

/** A secret that nobody can read again. */
export function ShownOnce({ title, text, value }: ShownOnceProps) {
  const id = useId();
  return (
    <section className="effect" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p>{text}</p>
      <Copyable value={value} />
    </section>
  );
}
