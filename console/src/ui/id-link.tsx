import { Link } from 'wouter';
import { useAccountName } from '../api/account';
import { useEmailOf } from '../api/users';
import { pageOf } from '../pages/links';

interface IdProps {
  readonly id: string;
  /** The name of an account, where it is known. */
  readonly name?: string;
}

/** What has an id. An account is shown by its name. */
export function IdText({ id, name: known }: IdProps) {
  const found = useAccountName(known === undefined && id.startsWith('acc_') ? id : null);
  const name = known ?? found;
  return name === undefined ? <code>{id}</code> : <span title={titleOf(name, id)}>{name}</span>;
}

/** What is long is cut in lists. */
const titleOf = (name: string, id: string): string => `${name}\n${id}`;

/** The same, as a link to its page where there is one. */
export function IdLink(shown: IdProps) {
  const page = pageOf(shown.id);
  const text = <IdText {...shown} />;
  return page === null ? text : <Link href={page}>{text}</Link>;
}

interface EmailLinkProps extends IdProps {
  /** The account whose users are known by their emails too. */
  readonly accountId?: string;
}

/** A user by email, in a list of many. Others than operators and the users of the account have only their id. */
export function EmailLink({ id, accountId }: EmailLinkProps) {
  const email = useEmailOf(accountId)(id);
  if (email === undefined) return <IdLink id={id} />;
  return (
    <Link href={pageOf(id)!} title={titleOf(email, id)}>
      {email}
    </Link>
  );
}
