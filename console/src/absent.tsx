import { useEffect } from 'react';
import { Link, Redirect, useLocation, useSearch } from 'wouter';
import { useMessages } from './i18n/i18n';

/** The pages whose names are shorter than those of the API. */
const pageNames: Readonly<Record<string, string>> = {
  'api-keys': 'keys',
  'audit-log': 'audit',
  'unapplied-payments': 'unapplied',
};

/** Says that there is no such page, unless it has the name that the API has for it. */
export function Absent() {
  const [location] = useLocation();
  const search = useSearch();
  const { errors, nav, product } = useMessages();
  useEffect(() => {
    document.title = `${errors.notFound} · ${product}`;
  }, [errors, product]);
  const [, first = '', ...others] = location.split('/');
  if (Object.hasOwn(pageNames, first)) {
    const path = ['', pageNames[first], ...others].join('/');
    return <Redirect to={search === '' ? path : `${path}?${search}`} replace />;
  }
  return (
    <div className="note">
      <h1>{errors.notFound}</h1>
      <p>{errors.notFoundText}</p>
      <p>
        <Link href="/">{nav.overview}</Link>
      </p>
    </div>
  );
}
