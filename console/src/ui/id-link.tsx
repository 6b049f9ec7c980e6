import { Link } from 'wouter';
import { useEmailOf } from '../api/users';
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

interface EmailLinkProps {
  readonly id: string;
  /** The account whose users are known by their emails too. */
  readonly accountId?: string;
}

/** A user by email, in a list of many. Others than operators and the users of the account have only their id. */
export function EmailLink({ id, accountId }: EmailLinkProps) {
  const email = useEmailOf(accountId)(id);
  if (email === undefined) return <IdLink id={id} />;
  return <Link href={pageOf(id)!}>{email}</Link>;
}
