import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useMessages } from '../i18n/i18n';
import type { OwnAccountProps } from './own-account';

/** What keeps somebody from doing what the dashboard is for, above each of its pages. */
export function Notices({ account: { status } }: OwnAccountProps) {
  const { dashboard: t } = useMessages();
  const { data: emails } = useEmails();
  const isUnverified = emails?.verification_required && emails.data.some(({ verified }) => !verified);
  return (
    <>
      {(status === 'suspended' || status === 'pending') && <p className="notice waiting">{t[status]}</p>}
      {isUnverified && (
        <p className="notice waiting">
          {t.unverified} <Link href="/you">{t.you.title}</Link>
        </p>
      )}
    </>
  );
}

/** The emails with which one signs in, and whether they have to be verified. */
export function useEmails() {
  return useQuery({ queryKey: ['emails'], queryFn: ({ signal }) => api.get('/v1/auth/email', { signal }) });
}
