import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useMessages } from '../i18n/i18n';
import { Icon } from './icons';

interface PageProps {
  readonly title: string;
  /** Shown in place of the title, where the heading is more than text. */
  readonly heading?: ReactNode;
  readonly back?: { readonly to: string; readonly text: string };
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, heading, back, aside, children }: PageProps) {
  const { product } = useMessages();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <>
      {back && (
        <Link className="back" href={back.to}>
          <Icon name="back" />
          {back.text}
        </Link>
      )}
      <div className="heading">
        <h1>{heading ?? title}</h1>
        {aside}
      </div>
      {children}
    </>
  );
}
