import { TestProvider } from '../../../support/openid-provider';
import { aUser, someEmail } from '../../../support/people';
import { startTestServiceOn, TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms } from './console-browser';
import { describeConsole } from './console-suite';

describeConsole('Single sign-on', (suite) => {
  const { button, heading } = suite;
  let provider: TestProvider;
  let service: TestService;

  beforeAll(async () => {
    provider = await TestProvider.start();
    // The provider is not there yet, which keeps no service from starting.
    service = await startTestServiceOn(suite.service.databaseUrl, {
      PAYMENT_PAGE_URL: '',
      REQUIRE_ADMIN_OTP: 'true',
      RECENT_LOGIN_SECONDS: '60',
      OIDC_PROVIDERS: JSON.stringify([provider.settings('acme', { label: 'Acme Corporation' })]),
    });
    provider.open(`${service.url}/console/session/oidc/acme/callback`);
  });
  afterAll(async () => {
    await service?.stop();
    await provider?.stop();
  });

  it('signs in with a button, returns to the page, and signs out at the provider', async () => {
    const email = someEmail();
    provider.add({ email, name: 'Ada Lovelace', groups: ['finance-support'] });
    const page = await suite.browser.open(
      await suite.browser.newContext(),
      `${service.url}/console/accounts?status=active`,
    );
    await button('Sign in with Acme Corporation', page).waitFor();
    await conforms(page, 'sign-in-with-provider');
    await button('Sign in with Acme Corporation', page).click();
    await heading(page).getByText('Accounts').waitFor();
    expect(page.url()).toBe(`${service.url}/console/accounts?status=active`);
    await page.reload();
    await button('Your session', page).click();
    await page.getByText(email).waitFor();
    await button('Sign out', page).click();
    await button('Sign out here too', page).click();
    await heading(page).getByText('Sign in').waitFor();
    expect(page.url()).toMatch(new RegExp(`^${service.url}/console/`));
    await page.context().close();
  });

  it('asks at the provider for a recent sign-in that a dialog needs, and returns to what was entered', async () => {
    provider.add({ email: someEmail(), groups: ['finance-admins'] });
    const { id } = await aUser(service.api);
    const page = await suite.browser.open(
      await suite.browser.newContext(),
      `${service.url}/console/users/${id}`,
    );
    const submit = 'Sign in with Acme Corporation';
    await button(submit, page).click();
    await heading(page).getByText('Active').waitFor();
    await suite.service.sql(`UPDATE sessions SET authenticated_at = authenticated_at - interval '2 minutes'`);
    await button('Suspend', page).click();
    const reason = page.getByRole('alertdialog', { name: 'Suspend' }).getByLabel('Reason');
    await reason.fill('Asked by phone');
    await suite.dialog(page).getByRole('button', { name: 'Suspend' }).click();
    const again = page.getByRole('alertdialog', { name: 'Sign in again' });
    await again.getByRole('button', { name: submit }).waitFor();
    await conforms(page, 'sign-in-again-with-provider');
    await again.getByRole('button', { name: submit }).click();
    await again.waitFor({ state: 'detached' });
    await eventually(() => reason.inputValue()).toBe('Asked by phone');
    await conforms(page, 'signed-in-again');
    await suite.dialog(page).getByRole('button', { name: 'Suspend' }).click();
    await suite.toasted('The user is suspended.', page);
    expect(page.url()).toBe(`${service.url}/console/users/${id}`);
    await page.context().close();
  });

  it('says why it does not work, and forgets that at the next visit', async () => {
    provider.add({ email: someEmail(), groups: ['staff'] });
    const page = await suite.browser.open(await suite.browser.newContext(), `${service.url}/console`);
    await button('Sign in with Acme Corporation', page).click();
    await page.getByText('None of your groups at the provider gives access to the console.').waitFor();
    expect(page.url()).toBe(`${service.url}/console/`);
    await conforms(page, 'sign-in-refused-by-provider');
    await page.context().close();
  });
});
