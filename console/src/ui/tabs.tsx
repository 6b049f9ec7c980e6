import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useMessages } from '../i18n/i18n';
import { MoreMenu } from './more-menu';

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  /** Those that are needed less often, in a menu. One that is shown is also beside the others. */
  readonly more: readonly Name[];
  readonly shown: Name;
  readonly labels: Readonly<Record<Name, string>>;
  readonly hrefOf: (name: Name) => string;
}

/** Links to the parts of a page, in one row. Where it is too long for the screen, it scrolls sideways. */
export function Tabs<Name extends string>({ label, names, more, shown, labels, hrefOf }: TabsProps<Name>) {
  const { nav } = useMessages();
  const [, navigate] = useLocation();
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    // The page itself stays where it is.
    const tab = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (tab) row.current!.scrollLeft = tab.offsetLeft - (row.current!.clientWidth - tab.offsetWidth) / 2;
  }, [shown]);
  return (
    <div className="tabs">
      <nav ref={row} aria-label={label}>
        {(names.includes(shown) ? names : [...names, shown]).map((name) => (
          <Link key={name} href={hrefOf(name)} replace aria-current={name === shown ? 'page' : undefined}>
            {labels[name]}
          </Link>
        ))}
      </nav>
      <MoreMenu
        label={nav.more}
        className="quiet"
        items={more.map((name) => ({ name, label: labels[name] }))}
        onChoose={(name) => navigate(hrefOf(name), { replace: true })}
      />
    </div>
  );
}
