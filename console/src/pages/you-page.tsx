import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { api } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { RecoveryCodes, SetUpSecondFactor } from '../session/second-factor';
import { ActionDialog } from '../ui/action-dialog';
import { Actions } from '../ui/actions';
import { EmailField, isEmail } from '../ui/email-field';
import { Page } from '../ui/page';
import { CodeField, PasswordField, withoutSpaces } from '../ui/secret-fields';
import { ErrorText, Failure, Loading } from '../ui/states';
import { useToast } from '../ui/toasts';
import { useEmails } from './notices';
import { OwnSessions } from './sessions';

/** How one signs in: the email, the password, the second factor and the sessions. */
export default function YouPage() {
  const { dashboard, fields, user } = useMessages();
  const t = dashboard.you;
  return (
    <Page title={t.title}>
      <section aria-labelledby="email">
        <h2 id="email">{fields.email}</h2>
        <Emails />
      </section>
      <section aria-labelledby="password">
        <h2 id="password">{t.password}</h2>
        <Password />
      </section>
      <section aria-labelledby="factor">
        <h2 id="factor">{t.factor}</h2>
        <SecondFactor />
      </section>
      <section aria-labelledby="sessions">
        <h2 id="sessions">{user.sessions}</h2>
        <OwnSessions />
      </section>
    </Page>
  );
}

/** The emails of the user and the account of the session, with what is left to do about them. */
function Emails() {
  const { dashboard } = useMessages();
  const t = dashboard.you;
  const { data, error, refetch } = useEmails();
  if (data === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  const isUnverified = data.data.some(({ verified }) => !verified);
  return (
    <>
      <ul>
        {data.data.map(({ id, email, verified }) => (
          <li key={id}>
            {email} <span className="soft">{verified ? t.verified : t.unverified}</span>
          </li>
        ))}
      </ul>
      <Actions
        actions={[
          ...(isUnverified
            ? [
                {
                  name: 'verify',
                  label: t.verify,
                  isAllowed: true,
                  dialog: (close: () => void) => <VerifyDialog onClose={close} />,
                },
              ]
            : []),
          {
            name: 'email',
            label: t.changeEmail,
            isAllowed: true,
            dialog: (close) => <ChangeEmailDialog onClose={close} />,
          },
        ]}
      />
    </>
  );
}

interface DialogProps {
  readonly onClose: () => void;
}

function VerifyDialog({ onClose }: DialogProps) {
  const { passwordLink, dashboard } = useMessages();
  const t = dashboard.you;
  return (
    <ActionDialog
      title={t.verify}
      about={undefined}
      text={t.verifyText}
      confirm={t.verify}
      done={passwordLink.done}
      onClose={onClose}
      run={() => api.post('/v1/auth/email/verification')}
    />
  );
}

function ChangeEmailDialog({ onClose }: DialogProps) {
  const t = useMessages().dashboard.you;
  const [emailText, setEmail] = useState('');
  const [current_password, setPassword] = useState('');
  const email = emailText.trim();
  return (
    <ActionDialog
      title={t.changeEmail}
      about={undefined}
      text={t.changeEmailText}
      confirm={t.changeEmail}
      done={t.emailChanged}
      isReady={isEmail(email) && current_password !== ''}
      onClose={onClose}
      run={() => api.post('/v1/auth/email', { body: { email, current_password } })}
    >
      <EmailField autoFocus value={emailText} onChange={setEmail} />
      <PasswordField label={t.current} value={current_password} onChange={setPassword} />
    </ActionDialog>
  );
}

function Password() {
  const { actions, dashboard } = useMessages();
  const t = dashboard.you;
  const toast = useToast();
  const queries = useQueryClient();
  const [current_password, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => api.post('/v1/auth/password', { body: { current_password, password } }),
    onSuccess: () => {
      toast(t.changed);
      setCurrent('');
      setPassword('');
      return queries.invalidateQueries();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!change.isPending) change.mutate();
  };
  return (
    <form className="step" onSubmit={submit}>
      <PasswordField label={t.current} value={current_password} onChange={setCurrent} />
      <PasswordField label={t.new} hint={t.newHint} isNew value={password} onChange={setPassword} />
      {change.isError && (
        <div className="problem" role="alert">
          <ErrorText error={change.error} isOfAction />
        </div>
      )}
      <Button type="submit" className="secondary" isDisabled={change.isPending}>
        {change.isPending ? actions.working : t.change}
      </Button>
    </form>
  );
}

function SecondFactor() {
  const { dashboard } = useMessages();
  const t = dashboard.you;
  const queries = useQueryClient();
  const [isSettingUp, setSettingUp] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) => api.get('/v1/auth/otp', { signal }),
  });
  if (isSettingUp) {
    const finish = (): void => {
      setSettingUp(false);
      void queries.invalidateQueries();
    };
    return <SetUpSecondFactor onDone={finish} onBack={() => setSettingUp(false)} />;
  }
  if (data === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  if (!data.enabled)
    return (
      <>
        <p>{t.factorOff}</p>
        <Button className="secondary" onPress={() => setSettingUp(true)}>
          {t.setUp}
        </Button>
      </>
    );
  return <EnabledFactor codesLeft={data.recovery_codes_left} />;
}

/** A second factor that is on. Codes that it shows end with it. */
function EnabledFactor({ codesLeft }: { readonly codesLeft: number }) {
  const { dashboard } = useMessages();
  const t = dashboard.you;
  const { number } = useFormats();
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <>
      <p>{format(t.factorOn, { count: number(codesLeft) })}</p>
      {codes.length > 0 && <RecoveryCodes codes={codes} />}
      <Actions
        actions={[
          {
            name: 'codes',
            label: t.codes,
            isAllowed: true,
            dialog: (close) => <NewCodesDialog onMade={setCodes} onClose={close} />,
          },
          {
            name: 'off',
            label: t.switchOff,
            isAllowed: true,
            isDangerous: true,
            dialog: (close) => <SwitchOffDialog onClose={close} />,
          },
        ]}
      />
    </>
  );
}

function SwitchOffDialog({ onClose }: DialogProps) {
  const t = useMessages().dashboard.you;
  const [otp, setOtp] = useState('');
  return (
    <ActionDialog
      title={t.switchOff}
      about={undefined}
      text={t.switchOffText}
      confirm={t.switchOff}
      done={t.switchedOff}
      isDangerous
      isReady={otp !== ''}
      onClose={onClose}
      run={() => api.delete('/v1/auth/otp', { body: { otp: withoutSpaces(otp) } })}
    >
      <CodeField value={otp} onChange={setOtp} />
    </ActionDialog>
  );
}

interface NewCodesDialogProps extends DialogProps {
  readonly onMade: (codes: readonly string[]) => void;
}

function NewCodesDialog({ onMade, onClose }: NewCodesDialogProps) {
  const t = useMessages().dashboard.you;
  const [otp, setOtp] = useState('');
  return (
    <ActionDialog
      title={t.codes}
      about={undefined}
      text={t.codesText}
      confirm={t.codes}
      done={t.codesMade}
      isReady={otp !== ''}
      onClose={onClose}
      run={async () => {
        const { recovery_codes } = await api.post('/v1/auth/otp/recovery-codes', {
          body: { otp: withoutSpaces(otp) },
        });
        onMade(recovery_codes);
      }}
    >
      <CodeField value={otp} onChange={setOtp} />
    </ActionDialog>
  );
}
