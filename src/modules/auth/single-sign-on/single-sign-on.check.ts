import type { Finding, HealthCheck } from '../../../platform/config/health-check';
import { ok, warning } from '../../../platform/config/health-check';
import { OpenIdProvider } from './openid-provider';
import { singleSignOnSettings } from './single-sign-on.settings';

/** Checks that the providers of single sign-on can be reached. */
export const providersCheck: HealthCheck = {
  name: 'single-sign-on',
  async run({ settings }): Promise<readonly Finding[]> {
    const { providers } = settings.of(singleSignOnSettings);
    return Promise.all(
      providers.map(async (provider) => {
        try {
          await new OpenIdProvider(provider, 0).discover();
          return ok(`The provider ${provider.name} can be reached.`);
        } catch {
          return warning(
            `The provider ${provider.name} does not respond at its issuer, or calls itself something else.`,
            'Allow connections to it in the firewall, and write `issuer` exactly as its `/.well-known/openid-configuration` does.',
          );
        }
      }),
    );
  },
};
