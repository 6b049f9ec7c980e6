import { Button } from 'react-aria-components/Button';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useLocation } from 'wouter';
import { type Language, languages, useI18n } from './i18n/i18n';
import { isDashboard } from './place';
import { session } from './session/session';
import { useUser } from './session/use-session';
import { SelectField } from './ui/fields';
import { Icon } from './ui/icons';
import { type Theme, themes, useTheme } from './ui/theme';
import { useToast } from './ui/toasts';

/** Who is signed in, how the console looks, and the way out. */
export function UserMenu() {
  const { t, language, setLanguage } = useI18n();
  const { name, email, role, membership_role } = useUser();
  const [theme, setTheme] = useTheme();
  const toast = useToast();
  const [, navigate] = useLocation();
  const choose = async (next: Language): Promise<void> => {
    if (!(await setLanguage(next))) toast(t.connection.unreachable);
  };
  return (
    <DialogTrigger>
      <Button className="quiet avatar" aria-label={t.you.menu}>
        <Icon name="person" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Dialog aria-label={t.you.menu}>
          {({ close }) => (
            <>
              <p>
                <strong>{name ?? email}</strong>
                <br />
                <span className="soft">
                  {email} · {t.people.roles[(isDashboard && membership_role) || role]}
                </span>
              </p>
              <SelectField
                label={t.you.language}
                value={language}
                onChange={(value) => void choose(value as Language)}
                options={Object.entries(languages)}
              />
              <SelectField
                label={t.you.theme}
                value={theme}
                onChange={(value) => setTheme(value as Theme)}
                options={themes.map((one) => [one, t.you.themes[one]])}
              />
              <Button
                className="secondary"
                onPress={() => {
                  close();
                  navigate('/you');
                }}
              >
                {t.dashboard.you.title}
              </Button>
              <Button className="secondary" onPress={() => void session.signOut()}>
                {t.you.signOut}
              </Button>
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
