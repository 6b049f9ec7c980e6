import { useBalance } from '../api/balance';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';

/** What an account holds now. */
export function BalanceFigures({ accountId }: { readonly accountId: string }) {
  const { account: t } = useMessages();
  const { money } = useFormats();
  const { data } = useBalance(accountId);
  const figures = [
    [t.posted, data?.posted],
    [t.available, data?.available],
    [t.held, data?.held],
    [t.pendingIn, data?.pending_in],
  ] as const;
  return (
    <dl className="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{data && value !== undefined ? money(value, data.currency) : '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
