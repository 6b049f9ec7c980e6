import { Suspense } from 'react';
import { useAccountName, useFoundAccounts } from '../api/account';
import { useEmailOf, useFoundActors } from '../api/users';
import { useMessages } from '../i18n/i18n';
import { TextField } from './fields';
import type { FoundFieldProps, IdFieldProps } from './found-field';
import { lazyPage } from './page-boundary';

const LoadedField = lazyPage(() => import('./found-field'));

/** An account, which is found by its name, its email or its id. */
export function AccountField(props: IdFieldProps) {
  const { list } = useMessages();
  const name = useAccountName(props.value || null);
  return <FoundField {...props} name={name} useFound={useFoundAccounts} none={list.noAccount} />;
}

/** Who has done something: the service, or a user or an account, which are found in the same way. */
export function ActorField(props: IdFieldProps) {
  const { list, audit } = useMessages();
  const { value } = props;
  const account = useAccountName(value.startsWith('acc_') ? value : null);
  const email = useEmailOf()(value);
  const name = value === 'system' ? audit.system : (email ?? account);
  return <FoundField {...props} name={name} useFound={useFoundActors} none={list.noPerson} />;
}

/** The field is large, and loaded beside the page. Until then, an empty one has its place. */
function FoundField(props: FoundFieldProps) {
  const place = <TextField label={props.label} value="" onChange={() => undefined} disabled />;
  return (
    <Suspense fallback={place}>
      <LoadedField {...props} />
    </Suspense>
  );
}
