import { Link } from 'wouter';
import { pageOf } from '../pages/links';

/** An id, as a link to its page where there is one. */
export function IdLink({ id }: { readonly id: string }) {
  const page = pageOf(id);
  return page === null ? (
    <code>{id}</code>
  ) : (
    <Link href={page}>
      <code>{id}</code>
    </Link>
  );
}
