import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAccountName } from '../api/account';
import { api, type Schemas } from '../api/client';
import { languages, useI18n } from '../i18n/i18n';
import { isDashboard } from '../place';
import { AccountField } from '../ui/account-field';
import { ActionDialog } from '../ui/action-dialog';
import { EmailField, isEmail } from '../ui/email-field';
import { SelectField, TextField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';
import { pageOf } from './links';

interface InviteProps {
  readonly onClose: () => void;
}

/** Whom the invitation goes to. */
function useInvited(form: string) {
  const { t } = useI18n();
  const [key] = useState(() => crypto.randomUUID()); // pressed twice, it is still one
  const [emailText, setEmail] = useDraft(form, 'email');
  const [nameText, setName] = useDraft(form, 'name');
  const email = emailText.trim();
  return {
    email,
    name: nameText.trim(),
    isComplete: isEmail(email),
    header: { 'Idempotency-Key': key },
    fields: (
      <>
        <EmailField autoFocus value={emailText} onChange={setEmail} />
        <TextField
          label={t.fields.name}
          autoComplete="off"
          maxLength={255}
          value={nameText}
          onChange={setName}
        />
      </>
    ),
  };
}

interface InviteUserProps extends InviteProps {
  /** Whom a member is invited for; by default anyone for anything but an admin, who needs an approval. */
  readonly accountId?: string;
}

/** Invites a user, who sets the password by a link in an email. Nobody types it for them. */
export function InviteUserDialog({ accountId, onClose }: InviteUserProps) {
  const { t } = useI18n();
  const { invite, people, dashboard, fields: labels } = t;
  const title = isDashboard ? dashboard.people.invite : invite.user;
  const [, navigate] = useLocation();
  const form = `invite-user:${accountId ?? ''}`;
  const { email, name, isComplete, header, fields } = useInvited(form);
  const about = useAccountName(accountId ?? null);
  const [role, setRole] = useDraft<'user' | 'platform' | 'support'>(form, 'role', 'user');
  const [chosen, choose] = useDraft(form, 'account');
  const account = accountId ?? (role === 'user' ? chosen : '');
  const { user, platform, support } = people.roles;
  return (
    <ActionDialog
      title={title}
      about={about}
      text={isDashboard ? dashboard.people.inviteText : invite.userText}
      confirm={title}
      done={invite.done}
      form={form}
      isReady={isComplete}
      onClose={onClose}
      run={async () => {
        const body = {
          email,
          ...(name !== '' && { name }),
          ...(role !== 'user' && { role }),
          ...(account !== '' && !isDashboard && { account_id: account }),
        };
        const { id } = await api.post('/v1/user-invitations', { params: { header }, body });
        if (!isDashboard) navigate(pageOf(id)!);
      }}
    >
      {fields}
      {accountId === undefined && (
        <SelectField
          label={labels.role}
          value={role}
          onChange={(value) => setRole(value as typeof role)}
          options={Object.entries({ user, platform, support })}
        />
      )}
      {accountId === undefined && role === 'user' && (
        <AccountField label={labels.account} value={chosen} onChange={choose} />
      )}
    </ActionDialog>
  );
}

const currencies = Intl.supportedValuesOf('currency').map((code) => [code, code] as const);
const defaultCurrency: string = 'USD';
const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** Creates an account, whose owner sets the password by a link in an email. */
export function InviteAccountDialog({ onClose }: InviteProps) {
  const { t, language: shown } = useI18n();
  const ownLanguage: string = shown;
  const { invite, types, fields: labels } = t;
  const [, navigate] = useLocation();
  const form = 'invite-account';
  const { email, name, isComplete, header, fields } = useInvited(form);
  const [type, setType] = useDraft<Schemas['AccountType']>(form, 'type', 'business');
  const [currency, setCurrency] = useDraft(form, 'currency', defaultCurrency);
  const [timezone, setTimezone] = useDraft(form, 'timezone', ownTimeZone());
  const [language, setLanguage] = useDraft(form, 'language', ownLanguage);
  const { individual, business } = types;
  return (
    <ActionDialog
      title={invite.account}
      about={undefined}
      text={invite.accountText}
      confirm={invite.account}
      done={invite.done}
      form={form}
      isReady={isComplete && name !== ''}
      onClose={onClose}
      run={async () => {
        const body = { email, name, type, settings: { currency, timezone, language } };
        const { id } = await api.post('/v1/account-invitations', { params: { header }, body });
        navigate(pageOf(id)!);
      }}
    >
      {fields}
      <SelectField
        label={labels.type}
        value={type}
        onChange={(value) => setType(value as typeof type)}
        options={Object.entries({ business, individual })}
      />
      <SelectField label={labels.currency} value={currency} onChange={setCurrency} options={currencies} />
      <TimeZoneField value={timezone} onChange={setTimezone} />
      <LanguageField value={language} onChange={setLanguage} />
    </ActionDialog>
  );
}

const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

interface SettingProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TimeZoneField(props: SettingProps) {
  const { t } = useI18n();
  return <SelectField label={t.fields.timezone} {...props} options={withValue(timeZones, props.value)} />;
}

/** The languages of emails and payment pages. */
export function LanguageField(props: SettingProps) {
  const { t } = useI18n();
  const others = props.value in languages ? [] : [[props.value, props.value] as const];
  return (
    <SelectField label={t.fields.language} {...props} options={[...Object.entries(languages), ...others]} />
  );
}

/** A setting may have a value that this browser does not know. */
function withValue(values: readonly string[], value: string) {
  return (values.includes(value) ? values : [value, ...values]).map((one) => [one, one] as const);
}
